-- | Reading ELF files: the parts that the dynamic loader reads before it starts a program.
--
-- Pure, and bounds-checked everywhere: the input may be truncated, corrupt or hostile, and then 'parseElf'
-- says so in one line. Every read goes through 'slice'; every count that comes from the file is capped by
-- what the file can hold. Only x86-64 files are read beyond their header: any other file is reported by its
-- header alone, which is all that "Ghcomp.Doctor" needs to refuse it. Tested in
-- @test/hs/launcher/ElfTest.hs@, against readelf and on damaged files.
module Ghcomp.Elf
    ( Elf (..)
    , Kind (..)
    , Symbol (..)
    , Version (..)
    , isElf
    , isOurArch
    , machineName
    , parseElf
    ) where

import Control.Monad (when)
import Data.Bits (shiftL, shiftR, testBit, (.&.), (.|.))
import qualified Data.ByteString as B
import qualified Data.ByteString.Unsafe as BU
import qualified Data.IntMap.Strict as IM
import Data.Maybe (catMaybes, fromMaybe, listToMaybe)
import Data.Word (Word16, Word32, Word64, Word8)

-- | What kind of file the header declares.
data Kind = Executable | SharedObject | OtherKind
    deriving (Eq, Show)

-- | The version that a dynamic symbol is bound to.
data Version = Version
    { versionName    :: !B.ByteString
    , versionFile    :: !(Maybe B.ByteString)  -- ^ for a needed version: the library that must provide it
    , versionDefault :: !Bool                  -- ^ for a defined version: @name\@\@version@
    }
    deriving (Eq, Show)

data Symbol = Symbol
    { symbolName    :: !B.ByteString
    , symbolDefined :: !Bool
    , symbolWeak    :: !Bool
    , symbolLocal   :: !Bool
    , symbolVersion :: !(Maybe Version)
    }
    deriving (Eq, Show)

data Elf = Elf
    { elfIs64      :: !Bool
    , elfBigEndian :: !Bool
    , elfKind      :: !Kind
    , elfMachine   :: !Word16
    , elfInterp    :: !(Maybe B.ByteString)  -- ^ the dynamic loader that it names
    , elfDynamic   :: !Bool                  -- ^ has a dynamic section
    , elfPie       :: !Bool                  -- ^ the dynamic section says that it is a program
    , elfNeeded    :: [B.ByteString]
    , elfSoname    :: !(Maybe B.ByteString)
    , elfRpath     :: !(Maybe B.ByteString)
    , elfRunpath   :: !(Maybe B.ByteString)
    , elfSymbols   :: [Symbol]               -- ^ the dynamic symbol table
    , elfStatic    :: [Symbol]               -- ^ the full symbol table; empty in a stripped file
    }
    deriving (Eq, Show)

isElf :: B.ByteString -> Bool
isElf = B.isPrefixOf (B.pack [0x7f, 0x45, 0x4c, 0x46])

-- | Can the file be loaded into a process of the runtime's architecture?
isOurArch :: Elf -> Bool
isOurArch e = elfIs64 e && not (elfBigEndian e) && elfMachine e == machineX86_64

machineX86_64 :: Word16
machineX86_64 = 62

-- | What people call the machine.
machineName :: Elf -> String
machineName e = case lookup (elfMachine e) names of
    Just "x86-64" | not (elfIs64 e) -> "x32 (32-bit x86-64)"
    Just n -> n
    Nothing -> "machine " ++ show (elfMachine e)
  where
    names =
        [ (3, "32-bit x86"), (machineX86_64, "x86-64"), (183, if elfIs64 e then "AArch64" else "32-bit AArch64")
        , (40, "32-bit ARM"), (243, if elfIs64 e then "RISC-V" else "32-bit RISC-V"), (21, "PowerPC 64")
        , (20, "32-bit PowerPC"), (22, "S/390"), (8, "MIPS"), (2, "SPARC"), (43, "SPARC 64"), (258, "LoongArch") ]

-- | The reasons for failure are one line, without the file's name.
type Parse = Either String

slice :: String -> Word64 -> Word64 -> B.ByteString -> Parse B.ByteString
slice what off n file
    | off > size || n > size - off = Left ("the file is truncated or damaged: " ++ what ++ " lies outside of it")
    | otherwise = Right (BU.unsafeTake (fromIntegral n) (BU.unsafeDrop (fromIntegral off) file))
  where
    size = fromIntegral (B.length file)

-- The fixed-width readers take a record that 'slice' has cut to its size, and an offset inside the record.
u8 :: B.ByteString -> Int -> Word8
u8 = B.index

u16 :: B.ByteString -> Int -> Word16
u16 b i = fromIntegral (u8 b i) .|. fromIntegral (u8 b (i + 1)) `shiftL` 8

u32 :: B.ByteString -> Int -> Word32
u32 b i = fromIntegral (u16 b i) .|. fromIntegral (u16 b (i + 2)) `shiftL` 16

u64 :: B.ByteString -> Int -> Word64
u64 b i = fromIntegral (u32 b i) .|. fromIntegral (u32 b (i + 4)) `shiftL` 32

-- | At most this many bytes of a name are read: a bound on the work that a hostile string table can ask for.
maxName :: Int
maxName = 65536

-- | As many bytes may the names of a symbol table have together. Names in a string table may share their ends, so a
-- small file can have symbols with more bytes of names than any memory holds.
mostNames :: Int
mostNames = 1024 * 1024 * 1024

-- | At most this many libraries may a file need, and versions of symbols.
mostNeeded, mostVersions :: Int
mostNeeded = 4096
mostVersions = 65536

cstring :: B.ByteString -> Word64 -> Parse B.ByteString
cstring table off = do
    rest <- slice "a name" off 0 table >> slice "a name" off (fromIntegral (B.length table) - off) table
    case B.elemIndex 0 (B.take maxName rest) of
        Just n -> Right (BU.unsafeTake n rest)
        Nothing -> Left "the file is truncated or damaged: a name has no end"

data Segment = Segment { segType :: !Word32, segOff, segAddr, segSize :: !Word64 }

data Section = Section { secType, secLink :: !Word32, secOff, secSize :: !Word64 }

parseElf :: B.ByteString -> Parse Elf
parseElf file
    | not (isElf file) = Left "not an ELF file"
    | otherwise = do
        ident <- slice "the ELF header" 0 20 file
        let is64 = u8 ident 4 == 2
            big = u8 ident 5 == 2
            byte i = fromIntegral (u8 ident i)
            half i = if big then byte i `shiftL` 8 .|. byte (i + 1) else u16 ident i
            bare = Elf
                { elfIs64 = is64, elfBigEndian = big, elfMachine = half 18
                , elfKind = case half 16 of { 2 -> Executable; 3 -> SharedObject; _ -> OtherKind }
                , elfInterp = Nothing, elfDynamic = False, elfPie = False, elfNeeded = [], elfSoname = Nothing
                , elfRpath = Nothing, elfRunpath = Nothing, elfSymbols = [], elfStatic = [] }
        if isOurArch bare then body file bare else Right bare

body :: B.ByteString -> Elf -> Parse Elf
body file bare = do
    header <- slice "the ELF header" 0 64 file
    segments <- tableOf "the program header table" 56 (u64 header 32) (u16 header 54) (u16 header 56) segment
    -- The loader needs no section headers, so a file whose section table is gone still runs: no sections
    -- then.
    let sections = either (const []) id $
            tableOf "the section header table" 64 (u64 header 40) (u16 header 58) (u16 header 60) section
    interp <- traverse (\s -> slice "the interpreter's name" (segOff s) (segSize s) file)
                       (listToMaybe (filter ((== 3) . segType) segments))
    static <- case filter ((== 2) . secType) sections of
        [] -> Right []
        (s : _) -> symbolTable sections s
    let withStatic = bare { elfInterp = B.takeWhile (/= 0) <$> interp, elfStatic = static }
    case filter ((== 2) . segType) segments of
        [] -> Right withStatic
        (d : _) -> dynamic file segments sections d withStatic
  where
    tableOf what least off entry count parse
        | count == 0 = Right []
        | fromIntegral entry < least =
            Left ("the file is damaged: an entry of " ++ what ++ " has " ++ show entry ++ " bytes")
        | otherwise = traverse one [0 .. fromIntegral count - 1 :: Word64]
      where
        one i = parse <$> slice what (off `plus` (i * fromIntegral entry)) least file
    segment b = Segment (u32 b 0) (u64 b 8) (u64 b 16) (u64 b 32)
    section b = Section (u32 b 4) (u32 b 40) (u64 b 24) (u64 b 32)
    symbolTable sections s = do
        table <- slice "the symbol table" (secOff s) (secSize s) file
        link <- maybe (Left "the file is damaged: its symbol table has no names") Right
                      (listToMaybe (drop (fromIntegral (secLink s)) sections))
        strings <- slice "the names of the symbol table" (secOff link) (secSize link) file
        symbols strings table (const (Right Nothing))

-- | Addition that stays at the top instead of wrapping round: 'slice' then refuses the offset.
plus :: Word64 -> Word64 -> Word64
plus a b = if a + b < a then maxBound else a + b

-- | Entries of a symbol table; the version comes from the entry's index.
symbols :: B.ByteString -> B.ByteString -> (Int -> Parse (Maybe Version)) -> Parse [Symbol]
symbols strings table version = go mostNames 1
  where
    go left i
        | i >= B.length table `div` 24 = Right []
        | left < 0 = Left "the file is damaged: the names of its symbols overlap"
        | otherwise = do
            s <- one i
            (s :) <$> go (left - B.length (symbolName s)) (i + 1)
    one i = do
        entry <- slice "a symbol" (fromIntegral i * 24) 24 table
        name <- cstring strings (fromIntegral (u32 entry 0))
        v <- version i
        let bind = u8 entry 4 `shiftR` 4
        Right Symbol { symbolName = name, symbolDefined = u16 entry 6 /= 0, symbolWeak = bind == 2
                     , symbolLocal = bind == 0, symbolVersion = v }

-- | The dynamic section, read as the loader reads it: by addresses through the segments.
dynamic :: B.ByteString -> [Segment] -> [Section] -> Segment -> Elf -> Parse Elf
dynamic file segments sections d elf = do
    bytes <- slice "the dynamic section" (segOff d) (segSize d) file
    let entries = takeWhile ((/= 0) . fst)
            [ (u64 bytes i, u64 bytes (i + 8)) | i <- [0, 16 .. B.length bytes - 16] ]
        tag t = lookup t entries
        flags1 = fromMaybe 0 (tag 0x6ffffffb)
    strings <- case (tag 5, tag 10) of
        (Just address, Just n) -> offset address >>= \o -> slice "the dynamic string table" o n file
        _ -> Right B.empty
    let wants = [ v | (1, v) <- entries ]
    when (length wants > mostNeeded) (Left ("the file is damaged: it needs more than " ++ show mostNeeded ++ " others"))
    needed <- traverse (cstring strings) wants
    soname <- traverse (cstring strings) (tag 14)
    rpath <- traverse (cstring strings) (tag 15)
    runpath <- traverse (cstring strings) (tag 29)
    wanted <- at (tag 0x6ffffffe) IM.empty (verneed strings (count (tag 0x6fffffff)))
    offered <- at (tag 0x6ffffffc) IM.empty (verdef strings (count (tag 0x6ffffffd)))
    total <- symbolCount tag
    syms <- case tag 6 of
        Nothing -> Right []
        Just address -> do
            o <- offset address
            table <- slice "the dynamic symbol table" o (total * 24) file
            versym <- at (tag 0x6ffffff0) Nothing (\v -> Just <$> slice "the version table" v (total * 2) file)
            symbols strings table (Right . versionOf (IM.union wanted offered) versym)
    Right elf { elfDynamic = True, elfPie = testBit flags1 27, elfNeeded = needed, elfSoname = soname
              , elfRpath = rpath, elfRunpath = runpath, elfSymbols = syms }
  where
    count = min (fromIntegral mostVersions) . fromMaybe 0
    at address none f = maybe (Right none) (\a -> offset a >>= f) address

    offset addr = case [ segOff s + (addr - segAddr s) | s <- segments, segType s == 1, addr >= segAddr s
                                                       , addr - segAddr s < segSize s ] of
        (o : _) -> Right o
        [] -> Left "the file is damaged: its dynamic section points outside of it"

    versionOf names versym i = do
        table <- versym
        let v = u16 table (2 * i)
        found <- IM.lookup (fromIntegral (v .&. 0x7fff)) names
        Just found { versionDefault = versionFile found == Nothing && not (testBit v 15) }

    -- A chain of records, each with the distance to the next: stops at a distance of 0, and after the
    -- declared number.
    chain :: String -> Word64 -> Word64 -> Int -> (Word64 -> B.ByteString -> Parse a) -> Word64 -> Parse [a]
    chain _ _ _ _ _ 0 = Right []
    chain what here bytes next f n = do
        record <- slice what here bytes file
        x <- f here record
        let step = fromIntegral (u32 record next)
        when (step /= 0 && step < bytes) (Left ("the file is damaged: " ++ what ++ " overlap"))
        (x :) <$> if step == 0 then Right [] else chain what (here `plus` step) bytes next f (n - 1)

    verneed strings n start = do
        files <- chain "the needed versions" start 16 12 (curry Right) n
        -- Their lists may overlap, so a small file could ask for the square of its size.
        when (sum [ fromIntegral (u16 r 2) | (_, r) <- files ] > mostVersions)
             (Left ("the file is damaged: it needs more than " ++ show mostVersions ++ " versions"))
        IM.fromList . concat <$> mapM perFile files
      where
        perFile (o, r) = do
            name <- cstring strings (fromIntegral (u32 r 4))
            chain "the needed versions" (o `plus` fromIntegral (u32 r 8)) 16 12 (perVersion name)
                  (fromIntegral (u16 r 2))
        perVersion name _ r = do
            v <- cstring strings (fromIntegral (u32 r 8))
            Right (fromIntegral (u16 r 6 .&. 0x7fff), Version v (Just name) False)

    verdef strings n start = IM.fromList . catMaybes <$> chain "the defined versions" start 20 16 perVersion n
      where
        perVersion o r
            | testBit (u16 r 2) 0 = Right Nothing  -- the base definition names the file, not a version
            | otherwise = do
                aux <- slice "the defined versions" (o `plus` fromIntegral (u32 r 12)) 8 file
                v <- cstring strings (fromIntegral (u32 aux 0))
                Right (Just (fromIntegral (u16 r 4 .&. 0x7fff), Version v Nothing False))

    -- The section table says how long the dynamic symbol table is. A file without one says it only through
    -- its hash tables.
    symbolCount :: (Word64 -> Maybe Word64) -> Parse Word64
    symbolCount tag = case (filter ((== 11) . secType) sections, tag 4, tag 0x6ffffef5) of
        (s : _, _, _) -> Right (secSize s `div` 24)
        ([], Just address, _) -> do
            o <- offset address
            fromIntegral . (`u32` 4) <$> slice "the hash table" o 8 file
        ([], Nothing, Just address) -> offset address >>= gnuHashCount
        ([], Nothing, Nothing) -> Right 0

    gnuHashCount o = do
        h <- slice "the hash table" o 16 file
        let buckets = fromIntegral (u32 h 0) :: Word64
            first = u32 h 4
            bloom = fromIntegral (u32 h 8) :: Word64
            bucketsAt = o + 16 + 8 * bloom
        table <- slice "the hash table" bucketsAt (4 * buckets) file
        let top = maximum (0 : [ u32 table i | i <- [0, 4 .. B.length table - 4] ])
            chainAt i = bucketsAt + 4 * buckets + 4 * fromIntegral (i - first)
            walk i = do
                entry <- slice "the hash table" (chainAt i) 4 file
                if testBit (u32 entry 0) 0 then Right (fromIntegral i + 1) else walk (i + 1)
        if top < first then Right (fromIntegral first) else walk top
