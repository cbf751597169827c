-- | The ELF reader against readelf, and on damaged files.
module ElfTest (tests) where

import Control.Exception (evaluate)
import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as BC
import Data.List (isPrefixOf, sort, stripPrefix)
import Data.Maybe (mapMaybe)
import System.FilePath ((</>))
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

import Ghcomp.Elf
import Programs

tests :: Programs -> TestTree
tests p = testGroup "elf"
    [ testGroup "as readelf has it"
        [ testCase name (sameAsReadelf file)
        | (name, file) <- [ ("a program", openmp p), ("a static program", static p)
                          , ("a C library", "/lib/x86_64-linux-gnu/libc.so.6")
                          , ("libgomp, two versions of a symbol", standIn p </> "libgomp.so.1")
                          , ("a shell", "/bin/sh") ] ]
    , testCase "a symbol's version, its library, and which is the default" $ do
        e <- parsed (standIn p </> "libgomp.so.1")
        sort [ (v, d) | s <- elfSymbols e, symbolName s == BC.pack "omp_set_lock"
                      , Just (Version v Nothing d) <- [symbolVersion s] ]
            @?= [(BC.pack "OMP_1.0", False), (BC.pack "OMP_3.0", True)]
        u <- parsed (openmp p)
        [ versionFile v | s <- elfSymbols u, symbolName s == BC.pack "GOMP_parallel", Just v <- [symbolVersion s] ]
            @?= [Just (BC.pack "libgomp.so.1")]
    , testCase "without a section table, the symbols come by the hash tables" $ do
        let file = standIn p </> "libgomp.so.1"
        whole <- B.readFile file
        e <- parsed file
        -- e_shoff, e_shnum
        let bare = B.concat [ B.take 40 whole, B.replicate 8 0, B.take 12 (B.drop 48 whole), B.replicate 2 0
                            , B.drop 62 whole ]
        fmap elfSymbols (parseElf bare) @?= Right (elfSymbols e)
    , testCase "headers of other machines are named" $ do
        e32 <- parsed (elf32 p)
        (isOurArch e32, machineName e32) @?= (False, "32-bit x86")
        a <- parsed (arm p)
        (isOurArch a, machineName a) @?= (False, "AArch64")
    , testCase "no ELF file" $ do
        parseElf (BC.pack "#!/bin/sh\n") @?= Left "not an ELF file"
        parseElf B.empty @?= Left "not an ELF file"
    , testProperty "a truncated file is an error or a value, never a crash" $ \(NonNegative n) -> ioProperty $ do
        whole <- B.readFile (openmp p)
        let cut = n * 97 `mod` B.length whole
        r <- forced (B.take cut whole)
        pure (cut >= 64 || either (const True) (const False) r)
    , testProperty "a file cut inside of its dynamic symbols is refused" $ \(NonNegative n) -> ioProperty $ do
        whole <- B.readFile (openmp p)
        r <- forced (B.take (64 + n `mod` 512) whole)
        pure (either (const True) (const False) r)
    , testProperty "a file with damaged bytes is an error or a value, never a crash" $
        forAll (listOf1 ((,) <$> damagedAt <*> arbitrary)) $ \changes -> ioProperty $ do
            whole <- B.readFile (openmp p)
            _ <- forced (foldr damage whole changes)
            pure True
    ]
  where
    -- Headers and the surroundings of the dynamic section are damaged more often than code.
    damagedAt = oneof [choose (4, 63), choose (64, 1000), choose (0, 16000)]
    damage (i, w) b = B.take i b <> B.cons w (B.drop (i + 1) b)

-- | Everything forced; a message must be one line.
forced :: B.ByteString -> IO (Either String Elf)
forced b = do
    let r = parseElf b
    _ <- evaluate (length (show r))
    either (\e -> assertBool "one line" ('\n' `notElem` e && not (null e))) (const (pure ())) r
    pure r

parsed :: FilePath -> IO Elf
parsed file = B.readFile file >>= either assertFailure pure . parseElf

sameAsReadelf :: FilePath -> Assertion
sameAsReadelf file = do
    e <- parsed file
    let readelf args = lines . out <$> capture [("LC_ALL", "C")] "readelf" (args ++ [file]) ""
    dynamicSection <- readelf ["-dW"]
    let tagged t = [ takeWhile (/= ']') (drop 1 (dropWhile (/= '[') l))
                   | l <- dynamicSection, ("(" ++ t ++ ")") `elem` words l ]
    map BC.unpack (elfNeeded e) @?= tagged "NEEDED"
    maybe [] (pure . BC.unpack) (elfSoname e) @?= tagged "SONAME"
    maybe [] (pure . BC.unpack) (elfRunpath e) @?= tagged "RUNPATH"
    symbolLines <- readelf ["--dyn-syms", "-W"]
    let (ours, theirs) = (sort (filter (not . null) (map shown (elfSymbols e))), sort (mapMaybe symbol symbolLines))
    take 1 (filter (uncurry (/=)) (zip ours theirs)) @?= []
    length ours @?= length theirs
    headers <- readelf ["-lW"]
    maybe [] (pure . BC.unpack) (elfInterp e)
        @?= [ takeWhile (/= ']') rest
            | l <- headers, Just rest <- [stripPrefix "[Requesting program interpreter: " (dropWhile (== ' ') l)] ]
    table <- readelf ["-sW"]
    -- readelf also counts the empty first entry.
    let full = filter isEntry (dropWhile (not . isPrefixOf "Symbol table '.symtab'") table)
    length (elfStatic e) @?= length (drop 1 full)
  where
    shown s = BC.unpack (symbolName s) ++ case symbolVersion s of
        Nothing -> ""
        Just v | versionName v == symbolName s -> ""  -- the symbol of a version itself: readelf prints its name alone
        Just v -> (if versionDefault v then "@@" else "@") ++ BC.unpack (versionName v)
    symbol l = case words l of
        (_ : _ : _ : kind : _ : _ : _ : name : _) | isEntry l, kind /= "SECTION" -> Just name
        _ -> Nothing
    isEntry l = case words l of
        (w : _ : _ : _) -> last w == ':' && all (`elem` "0123456789:") w
        _ -> False
