-- | How many cores this process may use: its affinity, and the CPU quota of its control groups (versions 1
-- and 2).
--
-- The runtime makes the same decision in C when it starts; this module says beforehand what it will be.
-- Tested in @test/hs/launcher/CpuTest.hs@ on written-down control group trees.
module Ghcomp.Cpu
    ( Cpus (..)
    , Quota (..)
    , cpus
    , processors
    , capabilities
      -- * Parts, for the tests
    , allowedOf
    , listLength
    , quotaOf
    , quotaCpus
    ) where

import Control.Exception (IOException, evaluate, try)
import Data.Char (chr, isDigit, isOctDigit, ord)
import Data.List (intercalate, sort, sortOn, stripPrefix)
import Data.Maybe (catMaybes, fromMaybe, isJust, listToMaybe)
import GHC.Conc (getNumProcessors)
import System.FilePath ((</>))

data Cpus = Cpus
    { cpusUsable :: Int            -- ^ how many CPUs the affinity of this process allows, of those that are on
    , cpusList   :: Maybe String   -- ^ which, in the kernel's notation (@0-3,8@)
    , cpusQuota  :: Maybe Quota
    }

-- | CPU time in each period, both in microseconds, and the folder of the limit.
data Quota = Quota { quotaTime :: Integer, quotaPeriod :: Integer, quotaFrom :: FilePath }
    deriving (Eq, Show)

-- | The quota in whole CPUs, rounded up, at least one.
quotaCpus :: Quota -> Int
quotaCpus q = fromInteger (max 1 ((quotaTime q + quotaPeriod q - 1) `div` quotaPeriod q))

-- | What @omp_get_num_procs@ says, and the default team size: 'False' when the quota is to be ignored.
processors :: Bool -> Cpus -> Int
processors honoured c = maybe id (min . quotaCpus) (if honoured then cpusQuota c else Nothing) (cpusUsable c)

-- | The Capabilities of an RTS that the runtime starts, by its processors and the threads of a team.
capabilities :: Int -> Maybe Int -> Int
capabilities procs threads = minimum (256 : procs : maybe [] pure threads)

cpus :: IO Cpus
cpus = do
    status <- readText "/proc/self/status"
    quota <- quotaOf readText
    online <- readText "/sys/devices/system/cpu/online"
    let list = allowedOf status online
    -- Without /proc: what the RTS counts, which is 1 in a program without -threaded.
    counted <- getNumProcessors
    pure Cpus { cpusUsable = fromMaybe counted (list >>= listLength), cpusList = list, cpusQuota = quota }

-- | The CPUs that a process may use, by its @\/proc\/self\/status@ and the list of those that are switched on: the
-- kernel's line has those that are off, too, which @sched_getaffinity@ leaves out.
allowedOf :: Maybe String -> Maybe String -> Maybe String
allowedOf status online = case (allowed >>= ranges, fmap (concat . words) online >>= ranges) of
    (Just a, Just o) | both@(_ : _) <- common a o -> Just (intercalate "," (map shown both))
    _ -> allowed
  where
    allowed = listToMaybe [ concat (words v) | Just s <- [status], l <- lines s
                                             , Just v <- [stripPrefix "Cpus_allowed_list:" l] ]
    common a o =
        sort [ (from, to) | (af, at) <- a, (of', ot) <- o, let from = max af of', let to = min at ot, from <= to ]
    shown (a, b) = if a == b then show a else show a ++ "-" ++ show b

-- | How many numbers are in a list such as @0-3,8@.
listLength :: String -> Maybe Int
listLength = fmap (sum . map (\(a, b) -> b - a + 1)) . ranges

-- | The first and the last number of each part of such a list.
ranges :: String -> Maybe [(Int, Int)]
ranges = mapM range . splitOn ','
  where
    range r = case break (== '-') r of
        (a, '-' : b) | number a, number b, read b >= (read a :: Int) -> Just (read a, read b)
        (a, []) | number a -> Just (read a, read a)
        _ -> Nothing
    number n = not (null n) && length n < 10 && all isDigit n

splitOn :: Char -> String -> [String]
splitOn c s = let (a, b) = break (== c) s in if null b then [a] else a : splitOn c (drop 1 b)

readText :: FilePath -> IO (Maybe String)
readText path = either (\e -> const Nothing (e :: IOException)) Just <$> try (readFile path >>= full)
  where full s = evaluate (length s) >> pure s

-- | The tightest quota on the way from the process's own group up to the mount point, through a function that
-- reads files. Where a hierarchy is mounted several times, those mounts count that show the process's group.
quotaOf :: Monad m => (FilePath -> m (Maybe String)) -> m (Maybe Quota)
quotaOf readAt = do
    groups <- maybe [] (map group . lines) <$> readAt "/proc/self/cgroup"
    mounts <- maybe [] (catMaybes . map mount . lines) <$> readAt "/proc/self/mountinfo"
    let found =
            [ (v2, point, below root path)
            | (kind, options, root, point) <- mounts
            , let v2 = kind == "cgroup2"
            , v2 || (kind == "cgroup" && "cpu" `elem` options)
            , (_, path) <- take 1 [ g | g@(cs, p) <- groups, take 1 p == "/"
                                      , if v2 then cs == [""] else "cpu" `elem` cs ] ]
        shown v2 = or [ isJust path | (v, _, path) <- found, v == v2 ]
        dirs = [ (v2, dir) | (v2, point, path) <- found, isJust path || not (shown v2)
                           , dir <- upFrom point (fromMaybe "" path) ]
    quotas <- catMaybes <$> mapM (uncurry quotaIn) dirs
    pure (listToMaybe (sortOn ratio quotas))
  where
    ratio q = fromInteger (quotaTime q) / fromInteger (quotaPeriod q) :: Double

    -- "4:cpu,cpuacct:/path"; version 2 is "0::/path"
    group l = let (_, r) = cut ':' l; (cs, p) = cut ':' r in (splitOn ',' cs, p)

    -- "36 35 98:0 /root /point options optional... - type source super-options"
    mount l = case break (== "-") (words l) of
        (_ : _ : _ : root : point : _, _ : kind : _ : super : _) ->
            Just (kind, splitOn ',' super, unescape root, unescape point)
        _ -> Nothing

    -- A blank is written as \040.
    unescape ('\\' : a : b : c : rest)
        | a <= '3' && all isOctDigit [a, b, c] =
            chr (foldl (\n d -> 8 * n + ord d - ord '0') 0 [a, b, c]) : unescape rest
    unescape (c : rest) = c : unescape rest
    unescape [] = []

    -- What remains of the path below the group that is mounted, "" or "/a/b".
    below root path = case stripPrefix (if root == "/" then "" else root) path of
        Just "/" -> Just ""
        Just rest | take 1 rest `elem` ["", "/"], takeWhile (/= '/') (drop 1 rest) /= ".." -> Just rest
        _ -> Nothing

    upFrom point path
        | null path = [point]
        | otherwise = (point ++ path) : upFrom point (up path)
    up = reverse . drop 1 . dropWhile (/= '/') . reverse

    quotaIn True dir = do
        text <- readAt (dir </> "cpu.max")
        pure (case words <$> text of
            Just [t, p] -> quota dir t p
            _ -> Nothing)
    quotaIn False dir = do
        t <- readAt (dir </> "cpu.cfs_quota_us")
        p <- readAt (dir </> "cpu.cfs_period_us")
        pure (case (words <$> t, words <$> p) of
            (Just [a], Just [b]) -> quota dir a b
            _ -> Nothing)

    -- "max" and -1 mean that there is none
    quota dir t p
        | all isDigit t, all isDigit p, not (null t), not (null p)
        , read t > (0 :: Integer), read p > (0 :: Integer) =
            Just (Quota (read t) (read p) dir)
        | otherwise = Nothing

    cut c s = let (a, b) = break (== c) s in (a, drop 1 b)
