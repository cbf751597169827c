-- |
-- Module:      GHC.OpenMP.Settings
-- Description: What a parallel region can be told: team size, schedule, binding
--
-- OpenMP keeps its settings in internal control variables (ICVs) of each task, and those of a program's own threads
-- belong to the operating system thread (OpenMP 5.2, section 2.4). A Haskell thread that is not bound may be on another
-- operating system thread at each foreign call, so here settings are values: an argument of each region.
module GHC.OpenMP.Settings
    ( Settings (..)
    , defaults
    , Schedule (..)
    , ProcBind (..)
    ) where

-- | What a region is opened with. 'Nothing' leaves the choice to the environment (@OMP_NUM_THREADS@ and so on).
data Settings = Settings
    { numThreads      :: !(Maybe Int)      -- ^ threads of the team, at least 1
    , schedule        :: !(Maybe Schedule) -- ^ how loops are shared out
    , procBind        :: !(Maybe ProcBind) -- ^ where the threads run
    , dynamic         :: !(Maybe Bool)     -- ^ whether the runtime may give fewer threads than asked for
    , maxActiveLevels :: !(Maybe Int)      -- ^ how many nested regions may have more than one thread
    }
    deriving (Eq, Show)

-- | Everything as the environment has it.
--
-- >>> numThreads defaults
-- Nothing
defaults :: Settings
defaults = Settings Nothing Nothing Nothing Nothing Nothing

-- | How the iterations of a loop are shared out (OpenMP 5.2, section 11.5.3). A chunk is a number of iterations, at
-- least 1.
data Schedule
    = Static            -- ^ one contiguous part for each thread
    | StaticChunks !Int -- ^ chunks of this size, round robin
    | Dynamic !Int      -- ^ chunks of this size, for who asks first
    | Guided !Int       -- ^ chunks that shrink with what is left, down to this size
    | Auto              -- ^ the runtime chooses
    deriving (Eq, Show)

-- | Where the threads of a team run, seen from the thread that opens the region (OpenMP 5.2, section 10.1.3).
data ProcBind = BindFalse | BindTrue | BindPrimary | BindClose | BindSpread
    deriving (Eq, Show, Enum, Bounded)
