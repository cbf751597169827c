-- |
-- Module:      OpenMP.Internal.Settings
-- Description: The settings' types, their checks, and their C values
module OpenMP.Internal.Settings
    ( -- * Types
      Settings (..)
    , defaults
    , Schedule (..)
    , ProcBind (..)
      -- * Validity
    , checkSettings
    , checkRegion
    , checkRegionOf
    , checkSchedule
    , badSettings
    , badThreads
    , badSchedule
    , chunkOf
    , badLevels
    , reject
      -- * C values
    , scheduleToC
    , scheduleFromC
    , procBindToC
    , procBindFromC
    , boolToC
    , boolFromC
    ) where

import Control.Applicative ((<|>))
import Control.Exception (ErrorCall (..), throwIO)
import Data.Bits ((.&.))
import Data.List (intercalate, isPrefixOf)
import Data.Maybe (catMaybes)
import Foreign.C.Types (CInt)

import OpenMP.Internal.Impossible (checkPossible)

-- | The settings of a region. 'Nothing' leaves the choice to the environment (@OMP_NUM_THREADS@ and so on).
--
-- >>> let settings = defaults { numThreads = Just 4 }
-- >>> (numThreads settings, schedule settings)
-- (Just 4,Nothing)
--
-- @since 0.1.0.0
data Settings = Settings
    { numThreads      :: !(Maybe Int)      -- ^ threads of the team, at least 1
    , schedule        :: !(Maybe Schedule) -- ^ the schedule of loops; in C, of those with @schedule(runtime)@
    , procBind        :: !(Maybe ProcBind) -- ^ where the threads run, if the environment has defined places
    , dynamic         :: !(Maybe Bool)     -- ^ whether the team may get fewer threads than asked for
    , maxActiveLevels :: !(Maybe Int)
      -- ^ how many nested regions may have more than one thread, at least 0; values above
      -- 'OpenMP.Query.getSupportedActiveLevels' count as that many. It is for regions inside of this one: whether this
      -- one may have several is in the settings of those around it
    , checkConstructs :: !(Maybe Bool)
      -- ^ whether members of a Haskell team that encounter different constructs get an error, which is so by default
    }
    deriving (Eq, Show)

-- | Each setting of the left one, and of the right one where the left one has 'Nothing'.
--
-- >>> numThreads (defaults { numThreads = Just 2 } <> defaults { numThreads = Just 4 })
-- Just 2
instance Semigroup Settings where
    Settings a b c d e f <> Settings a' b' c' d' e' f' =
        Settings (a <|> a') (b <|> b') (c <|> c') (d <|> d') (e <|> e') (f <|> f')

-- | 'mempty' is 'defaults'.
instance Monoid Settings where
    mempty = defaults

-- | All settings from the environment.
--
-- >>> numThreads defaults
-- Nothing
--
-- @since 0.1.0.0
defaults :: Settings
defaults = Settings Nothing Nothing Nothing Nothing Nothing Nothing

-- | How the iterations of a loop are divided among the threads of a team (OpenMP 5.2, section 11.5.3). A chunk size is
-- a number of iterations, at least 1.
--
-- >>> withSettings defaults { schedule = Just (Guided 8) } getSchedule
-- Guided 8
--
-- @since 0.1.0.0
data Schedule
    = Static            -- ^ one contiguous part for each thread
    | StaticChunks !Int -- ^ chunks of this size, round robin
    | Dynamic !Int      -- ^ chunks of this size, first come, first served
    | Guided !Int       -- ^ chunks that shrink with what is left, down to this size
    | Auto              -- ^ the runtime chooses
    deriving (Eq, Show)

-- | Where the threads of a team run, relative to the primary thread, which opens the region (OpenMP 5.2, section
-- 10.1.3).
--
-- >>> [minBound .. maxBound :: ProcBind]
-- [BindFalse,BindTrue,BindPrimary,BindClose,BindSpread]
--
-- @since 0.1.0.0
data ProcBind
    = BindFalse   -- ^ wherever the operating system puts them
    | BindTrue    -- ^ on places, chosen by the runtime
    | BindPrimary -- ^ on the place of the primary thread
    | BindClose   -- ^ on the places next to it
    | BindSpread  -- ^ on places far from each other
    deriving (Eq, Show, Enum, Bounded)

-- | Throws an t'ErrorCall' with a line for each invalid value, each with the name of the function that was called.
checkSettings :: String -> Settings -> IO ()
checkSettings function = reject function . badSettings

-- | 'checkSettings' for regions with Haskell bodies, whose chunk sizes may be as large as an 'Int'.
checkRegion :: String -> Settings -> IO ()
checkRegion name = checkRegionOf ("Parallel." ++ name)
{-# INLINE checkRegion #-}

-- | 'checkRegion' for a function of any module, @Module.function@, whose error is to name it: the module below
-- @OpenMP@, or all of its name. A team that is impossible on this system is a
-- 'OpenMP.Internal.Impossible.TeamImpossible'.
checkRegionOf :: String -> Settings -> IO ()
checkRegionOf name s = do
    reject name $ concat $ catMaybes
        [ badThreads <$> numThreads s, badChunk <$> schedule s, badLevels <$> maxActiveLevels s ]
    mapM_ checkPossible (numThreads s)
{-# INLINE checkRegionOf #-}

-- | 'checkRegionOf' for a schedule alone.
checkSchedule :: String -> Schedule -> IO ()
checkSchedule name = reject name . badChunk

badChunk :: Schedule -> [String]
badChunk s = [ "schedule = " ++ show s ++ ": a chunk has at least 1 iteration" | Just n <- [chunkOf s], n < 1 ]

-- | A schedule's chunk size, if it has one.
chunkOf :: Schedule -> Maybe Int
chunkOf s = case s of
    StaticChunks n -> Just n
    Dynamic n      -> Just n
    Guided n       -> Just n
    Static         -> Nothing
    Auto           -> Nothing

-- | A message for each value that OpenMP does not allow.
badSettings :: Settings -> [String]
badSettings s = concat $ catMaybes
    [ badThreads <$> numThreads s, badSchedule <$> schedule s, badLevels <$> maxActiveLevels s ]

-- | What is wrong with a number of threads.
badThreads :: Int -> [String]
badThreads n = outside 1 n ("numThreads = " ++ show n ++ ": a team has at least 1 thread")

-- | What is wrong with a schedule: its chunk.
badSchedule :: Schedule -> [String]
badSchedule s = maybe [] bad (chunkOf s)
  where
    bad n = outside 1 n ("schedule = " ++ show s ++ ": a chunk has at least 1 iteration")

-- | What is wrong with a number of levels.
badLevels :: Int -> [String]
badLevels n = outside 0 n ("maxActiveLevels = " ++ show n ++ ": the number of levels is at least 0")

-- Valid values also fit a C int.
outside :: Int -> Int -> String -> [String]
outside least n line = [ line ++ " and at most " ++ show most | n < least || n > most ]
  where
    most = fromIntegral (maxBound :: CInt) :: Int

-- | Throws an t'ErrorCall' with these messages, if there are any. The function's name is as for 'checkRegionOf'.
reject :: String -> [String] -> IO ()
reject _ [] = pure ()
reject function lines' = throwIO (ErrorCall (intercalate "\n" [ qualified function ++ ": " ++ l | l <- lines' ]))

qualified :: String -> String
qualified function
    | "Data." `isPrefixOf` function = function
    | otherwise = "OpenMP." ++ function

-- | An @omp_sched_t@ and a chunk size, which is 0 when the schedule has none. The schedule must be valid.
scheduleToC :: Schedule -> (CInt, CInt)
scheduleToC s = case s of
    Static         -> (1, 0)
    StaticChunks n -> (1, fromIntegral n)
    Dynamic n      -> (2, fromIntegral n)
    Guided n       -> (3, fromIntegral n)
    Auto           -> (4, 0)

-- | The inverse of 'scheduleToC'. The monotonic modifier, the highest bit of an @omp_sched_t@, is not part of a
-- 'Schedule'.
scheduleFromC :: CInt -> CInt -> Schedule
scheduleFromC kind chunk = case kind .&. maxBound of
    1 | chunk > 0 -> StaticChunks (fromIntegral chunk)
      | otherwise -> Static
    2 -> Dynamic size
    3 -> Guided size
    _ -> Auto
  where
    size = fromIntegral (max 1 chunk) -- without a chunk size these two mean 1

-- | An @omp_proc_bind_t@.
procBindToC :: ProcBind -> CInt
procBindToC = fromIntegral . fromEnum

-- | The inverse of 'procBindToC', for a value that a routine has returned.
procBindFromC :: CInt -> ProcBind
procBindFromC = toEnum . fromIntegral

-- | C's 0 and 1.
boolToC :: Bool -> CInt
boolToC = fromIntegral . fromEnum

-- | Everything but 0 is true.
boolFromC :: CInt -> Bool
boolFromC = (/= 0)
