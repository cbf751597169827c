{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- Makes each chunk and each construct a safe point, also in bodies that do not allocate. Otherwise the collector and
-- messages for this Capability (an asynchronous exception for the caller, for example) would wait.
{-# OPTIONS_GHC -fno-omit-yields #-}
-- |
-- Module:      OpenMP.Internal.Team
-- Description: Constructs inside of a region
--
-- The mechanism below "OpenMP.Parallel"; @cbits\/haskell\/construct.c@ is its C half. The interface is not stable.
--
-- An exception inside of a construct cancels the region before it leaves the construct. If a body caught it outside,
-- the other members would wait in the construct for a member that has left it. That holds for asynchronous exceptions
-- at any moment, too: what a member records of a construct, from entering it to its barrier, is 'inConstruct' or
-- masked. Misuse of a construct is an error before anything is recorded (@mayWait@): a body that handles it finds its
-- team as it was.
--
-- Values that go from one member to others ('single', 'reduce') are in two rows of boxes, used alternately. A member
-- writes its box, passes a barrier and reads the other members' boxes. It writes into the same row again two rounds
-- later. In between is the next round's barrier, which a member passes only after it has read.
--
-- A t'Team' is for its own member, inside of its region. The type keeps it there, but a closure and an existential hide
-- the type. So a construct first reads a word that is 0 once the region is over ('regionOf'), because the region's
-- memory in C is gone by then, and C compares the caller's number with the member's. "OpenMP.Internal.Same" has the
-- check that all members are at the same construct.
module OpenMP.Internal.Team
    ( Team (..)
    , Box
    , runTeam
    , teamSize
    , threadNum
    , barrier
    , forChunks
    , forChunksOrdered
    , single
    , reduce
    , cancel
    , cancellationPoint
      -- * With the name of the function that errors are to name
    , threadNumOf
    , barrierOf
    , forChunksOf
    , forChunksNowaitOf
    , cancellationPointOf
      -- * For "OpenMP.Internal.Task" and "OpenMP.Internal.Future"
    , regionOf
    , Outcome
    , outcome
    , inConstruct
    , misuse
    , takeTasks
    , withWait
    , waitState
    , performTask
    ) where

import Control.Exception
import Control.Monad (unless, when)
import Data.Bits (unsafeShiftR)
import Data.Primitive.Array
import Data.Primitive.ByteArray
import Data.Typeable (Typeable, cast, typeOf, typeRep, Proxy (..))
import Data.Word (Word8)
import Foreign.C.Types (CBool (..), CInt (..))
import Foreign.Marshal.Alloc (alloca, allocaBytes)
import Foreign.Marshal.Utils (fillBytes)
import Foreign.Ptr (Ptr, castPtr, nullPtr)
import Foreign.Storable (peek, peekElemOff)
import GHC.Exts (RealWorld)

import OpenMP.Internal.Loop (rangeCount)
import OpenMP.Internal.Region
import OpenMP.Internal.Same
import OpenMP.Internal.Settings (checkSchedule)
import OpenMP.Settings

-- | A team of threads, inside of its region: the first argument of a region's constructs. The type variable keeps it
-- from leaving the region, as that of 'Control.Monad.ST.ST' does with references. It can leave hidden, in an action
-- that the body returns or in an existential type; then its use is an t'ErrorCall' that says so. A member uses its own
-- team, and so do the tasks that it makes.
--
-- >>> let whoAmI :: Team s -> IO String; whoAmI t = (\n -> show n ++ " of " ++ show (teamSize t)) <$> threadNum t
-- >>> parallel defaults { numThreads = Just 2 } whoAmI
-- ["0 of 2","1 of 2"]
--
-- @since 0.1.0.0
data Team s = Team
    { teamMember :: !Member
    , teamBoxes  :: !(MutableArray RealWorld Box) -- ^ two rows of boxes, one box for each member
    , teamAlive  :: !Words                        -- ^ the member's 'memberAlive'
    , teamOwn    :: !Own
    }

-- | The place of the number of exchanges in 'teamOwn'.
exchanges :: Int
exchanges = 0

type role Team nominal

-- | A value on its way from one member to others.
data Box = Empty | forall a. Typeable a => Full a

-- | Runs an exact region: all members run the body.
runTeam :: Settings -> (forall s. Team s -> IO ()) -> IO ()
runTeam settings body = do
    -- Read only once: the default may change before the region begins, and the boxes are for this many.
    most <- teamBound settings
    boxes <- newArray (2 * most) Empty
    runRegion (exactRegion settings { numThreads = Just most }) $ \self -> do
        own <- newOwn
        let team = Team self boxes (memberAlive self) own
        body team
        alone <- barriersOf own >>= c_left (memberRegion self)
        when (alone /= 0) deserted
        same <- sameToTheEnd own (teamAlive team)
        unless same (different "Parallel.forNowait" team Loop)

-- | The number of threads in the team.
--
-- >>> parallel defaults { numThreads = Just 2 } (pure . teamSize)
-- [2,2]
--
-- @since 0.1.0.0
teamSize :: Team s -> Int
teamSize = memberSize . teamMember

-- | The team's region. An t'ErrorCall' that names the function, @Module.function@, when that is over.
regionOf :: String -> Team s -> IO (Ptr CRegion)
regionOf name team = do
    alive <- readByteArray (teamAlive team) 0
    if alive /= (0 :: Int) then pure (memberRegion (teamMember team)) else over name
{-# INLINE regionOf #-}

-- | The error of a team that has left its region.
over :: String -> IO a
over name = throwIO $ ErrorCall $
    "OpenMP." ++ name ++ ": the region of this team is over; a team, an action with it and its futures are for use "
    ++ "inside of the region that made them"
{-# NOINLINE over #-}

-- | The caller's thread number in the team, from 0; in a task, that of the thread that runs it. An t'ErrorCall' in a
-- thread that is not in the team.
--
-- >>> parallel defaults { numThreads = Just 3 } threadNum
-- [0,1,2]
--
-- @since 0.1.0.0
threadNum :: Team s -> IO Int
threadNum = threadNumOf "Parallel.threadNum"

-- | 'threadNum' for a function of any module, @Module.function@, which an error names.
threadNumOf :: String -> Team s -> IO Int
threadNumOf name team = do
    n <- regionOf name team >>= c_thread_num
    if n < 0 then misuse name else pure (fromIntegral n)

-- | The error of a construct, @Module.function@, that is called where it is not valid.
misuse :: String -> IO a
misuse name = throwIO $ ErrorCall $
    "OpenMP." ++ name ++ ": the calling thread is not one of this team here; call it from the body of the "
    ++ "region itself (not from a thread that forkIO made, nor with another member's team or inside of an inner "
    ++ "region; and not from a task, if it waits for the whole team)"

-- | The @enum@ of @cbits\/haskell\/task.h@: -1 not a member, 0 done, 1 cancelled, 2 to be called again (a barrier found
-- a task), 3 a member has left without arriving at the barrier, 4 nothing to wait for, -2 in a critical section.
type Outcome = CInt

-- | Handles a final outcome: returns, leaves the cancelled region, or throws.
outcome :: String -> Outcome -> IO ()
outcome name r
    | r < 0 = misuse name
    | r == 1 = leaveCancelled
    | r == 3 = deserted
    | otherwise = pure ()

-- | The error of a member that waits for others which have left the region's body.
deserted :: IO a
deserted = throwIO $ ErrorCall $
    "OpenMP.Parallel.barrier: a member of the team waits at a barrier, and another has left the region's body "
    ++ "without coming to it; each member must encounter each barrier, also those of for, sections, single and reduce"

-- | Runs the action; an exception that leaves it cancels the region first.
inConstruct :: Team s -> IO a -> IO a
inConstruct team act = act `catch` \e -> do
    keepException (teamMember team) e
    throwIO e

-- | A cancellation point: leaves the body if the region has been cancelled, or an asynchronous exception is pending for
-- the thread that opened it (OpenMP 5.2, section 16.2). Constructs and chunks are cancellation points, too; this is for
-- long code without them. An t'ErrorCall' in a thread that is not in the team.
--
-- >>> import System.Timeout (timeout)
-- >>> import Control.Monad (forever)
-- >>> timeout 10000 (parallel_ defaults { numThreads = Just 2 } (\team -> forever (cancellationPoint team)))
-- Nothing
--
-- @since 0.1.0.0
cancellationPoint :: Team s -> IO ()
cancellationPoint = cancellationPointOf "Parallel.cancellationPoint"
{-# INLINE cancellationPoint #-}

-- | 'cancellationPoint' for a function of any module, @Module.function@, which an error names.
cancellationPointOf :: String -> Team s -> IO ()
cancellationPointOf name team = do
    here <- regionOf name team >>= c_point
    -- First: a thread that is not in the team must not cancel the region, which may be over by now.
    when (here < 0) (misuse name)
    waits <- callerWaits (teamMember team)
    when (waits || here /= 0) (leave waits team)
{-# INLINE cancellationPointOf #-}

-- | Leaves a region that is cancelled, or that is to be.
leave :: Bool -> Team s -> IO a
leave toCancel team = when toCancel (cancelRegion (teamMember team)) >> leaveCancelled
{-# NOINLINE leave #-}

-- | Cancels the region and leaves the caller's body (OpenMP 5.2, section 16.1). The other members leave at their next
-- construct, chunk or 'cancellationPoint'. 'OpenMP.Parallel.parallel' then has no results of the members that left,
-- and throws nothing.
--
-- >>> parallel defaults { numThreads = Just 2 } (\team -> cancel team >> pure 'x')
-- ""
--
-- @since 0.1.0.0
cancel :: Team s -> IO a
cancel team = threadNumOf "Parallel.cancel" team >> cancelRegion (teamMember team) >> leaveCancelled

-- --------------------------------------------------------------------------------------------------------------------
-- Waiting, and running tasks meanwhile

-- | Runs the tasks that the caller can take: any of the team's, or descendants of its current task.
takeTasks :: Team s -> Bool -> IO ()
takeTasks team anyTask = alloca $ \foreignTask -> do
    let go = do
            task <- c_task_take (memberRegion (teamMember team)) (if anyTask then 1 else 0) foreignTask
            if task /= nullPtr
                then performTask task >> go
                else do
                    other <- peek foreignTask
                    when (other /= nullPtr) (c_task_run_foreign other >> go)
    go

-- | Runs a task that core has started, and completes it, whatever its action does.
performTask :: Ptr CTask -> IO ()
performTask task = mask_ (runTask InBody task `finally` c_task_finish task)

-- | Waits by a C function that returns early with each task that it finds. Its state is zeroed at first.
withWait :: (Ptr () -> IO Outcome) -> Team s -> Bool -> IO Outcome
withWait wait team anyTask = waitState (goOn wait team anyTask)

-- | The state of a wait in C, zeroed at first.
waitState :: (Ptr () -> IO a) -> IO a
waitState act = allocaBytes bytes $ \state -> fillBytes state (0 :: Word8) bytes >> act state
  where
    bytes = 64

goOn :: (Ptr () -> IO Outcome) -> Team s -> Bool -> Ptr () -> IO Outcome
goOn wait team anyTask state = do
    r <- wait state
    if r == 2
        then do
            peek (castPtr state) >>= performTask
            takeTasks team anyTask
            goOn wait team anyTask state
        else pure r

-- | Waits until all members of the team have arrived and all its tasks are complete; runs tasks meanwhile (OpenMP 5.2,
-- section 15.3.1). What any member did before it is visible to all after it. Every member must encounter it. In an
-- explicit task it is an t'ErrorCall'.
--
-- >>> import Data.IORef
-- >>> arrived <- newIORef (0 :: Int)
-- >>> let arrive = atomicModifyIORef' arrived (\n -> (n + 1, ()))
-- >>> parallel defaults { numThreads = Just 3 } (\team -> arrive >> barrier team >> readIORef arrived)
-- [3,3,3]
--
-- @since 0.1.0.0
barrier :: Team s -> IO ()
barrier = barrierOf "Parallel.barrier" Barrier

-- | 'barrier' for a function of any module, @Module.function@, which an error names: the end of a construct.
barrierOf :: String -> Construct -> Team s -> IO ()
barrierOf name !construct team@(Team self _ alive own) = do
    cancellationPointOf name team
    place <- c_barrier_begin here (memberNumber self)
    when (place < 0) (noBarrier name place)
    if place /= 0 then () <$ noteBarrier own else
        -- Masked: a member that has arrived waits, and is woken when the region is cancelled.
        mask_ $ do
            number <- noteBarrier own
            same <- sameConstruct own alive number construct
            unless same (different name team construct)
            takeTasks team True
            waitState $ \state -> do
                passed <- c_barrier_arrive here state
                if passed /= 0
                    then cancellationPointOf name team
                    else goOn (c_barrier here (number `unsafeShiftR` 3)) team True state >>= outcome name
  where
    here = memberRegion self

-- | Whether the caller may wait at a barrier, asked by a construct that ends in one, before it changes anything.
mayWait :: String -> Team s -> IO ()
mayWait name team = placeOf name team >>= \place -> when (place < 0) (noBarrier name place)
{-# INLINE mayWait #-}

-- | What the caller is at a barrier of the team.
placeOf :: String -> Team s -> IO Outcome
placeOf name team = regionOf name team >>= \here -> c_barrier_begin here (memberNumber (teamMember team))
{-# INLINE placeOf #-}

-- | The error of a barrier where there can be none.
noBarrier :: String -> Outcome -> IO a
noBarrier name place
    | place == -2 = throwIO (ErrorCall ("OpenMP." ++ name ++ inCritical))
    | otherwise   = misuse name
  where
    inCritical =
        ": a barrier in a critical section, which the other members may wait for; leave the section first"
{-# NOINLINE noBarrier #-}

-- | The error of members that are not at the same construct. The region may have been cancelled, which explains it; and
-- in a team of one not all barriers are compared.
different :: String -> Team s -> Construct -> IO ()
different name team construct = unless (teamSize team == 1) $ do
    cancellationPointOf name team
    others <- othersConstruct (teamAlive team)
    inConstruct team $ throwIO $ ErrorCall $ "OpenMP." ++ name ++ ": " ++ explain construct others

-- --------------------------------------------------------------------------------------------------------------------
-- Worksharing

-- | 'forChunksOf' without the barrier at its end.
forChunksNowaitOf :: String -> Team s -> Schedule -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
forChunksNowaitOf name team sched from past chunkAction = do
    place <- placeOf name team
    when (place == -1) (misuse name) -- in a critical section it may be: it does not wait
    forChunksHere name team sched from past chunkAction

-- | The same for a caller that is known to be the member.
forChunksHere :: String -> Team s -> Schedule -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
forChunksHere name team sched = overChunks name inLoop team sched (pure ())

-- | A member's chunks of a worksharing loop, which is 'inLoop' or an 'inTurns'. An action comes after each of them.
overChunks :: String -> Int -> Team s -> Schedule -> IO () -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
overChunks name !loop team sched after !from past chunkAction = do
    checkSchedule name sched
    cancellationPointOf name team
    inConstruct team $ do
        c_for_enter kind size (rangeCount from past) order
        outermost <- enterLoop (teamOwn team) loop
        unless outermost (nested name)
        noteLoop (teamOwn team) (2 * kind + order) size from past
        bounds <- c_chunk
        go bounds
        c_for_leave
        leaveLoop (teamOwn team)
  where
    self = teamMember team
    go bounds = do
        on <- checkpoint self -- the region is alive, and the caller is in it
        unless on leaveCancelled
        more <- c_for_next
        when (more /= 0) $ do
            begin <- peek bounds
            end <- peekElemOff bounds 1
            chunkAction (from + begin) (from + end)
            after
            go bounds
    order = if loop == inLoop then 0 else 1
    (kind, size) = case sched of
        Static         -> (1, 0)
        StaticChunks c -> (1, c)
        Dynamic c      -> (2, c)
        Guided c       -> (3, c)
        Auto           -> (3, 1)

-- | The error of a worksharing loop, or sections, in the body of another one.
nested :: String -> IO a
nested name = throwIO $ ErrorCall $
    "OpenMP." ++ name ++ ": a loop or sections inside of the body of another one of the same team, to which the other "
    ++ "members may not come; take for2, tasks (taskloop), or parallelFor, which has a team of its own"
{-# NOINLINE nested #-}

-- | A worksharing loop with an ordered part (OpenMP 5.2, sections 11.5 and 15.10.2): @body inOrder begin end@ is for a
-- chunk, and @inOrder@ delays its argument until all earlier chunks are complete. A chunk that does not use it waits
-- for its turn at its end.
forChunksOrdered :: Team s -> Schedule -> Int -> Int -> ((forall a. IO a -> IO a) -> Int -> Int -> IO ()) -> IO ()
forChunksOrdered team sched from past chunkAction = do
    mayWait name team
    loop <- inTurns (teamOwn team)
    let turn = takeTurn name team loop
    overChunks name loop team sched turn from past (chunkAction (\act -> turn >> act))
    barrierOf name OrderedLoop team
  where
    name = "Parallel.forOrdered"

-- | Waits until all earlier chunks of an ordered loop are complete: of this one, in which the member is.
takeTurn :: String -> Team s -> Int -> IO ()
takeTurn name team !loop = do
    here <- regionOf name team
    due <- c_ordered_due here (memberNumber (teamMember team))
    when (due < 0) (misuse name)
    now <- loopOf (teamOwn team)
    when (now /= loop) (outOfLoop name)
    when (due /= 1) $ do
        number <- (+ 1) <$> barriersOf (teamOwn team)
        let wait again = do
                cancellationPointOf name team
                r <- c_ordered_wait here number again
                if r == 2 then wait 1 else outcome name r
        wait 0

-- | The error of a turn that is asked for after its loop.
outOfLoop :: String -> IO a
outOfLoop name = throwIO $ ErrorCall $
    "OpenMP." ++ name ++ ": the caller is not in the loop whose order it asks for; use inOrder in the iteration that "
    ++ "it was given to"
{-# NOINLINE outOfLoop #-}

-- | 'OpenMP.Parallel.for' with a body for a chunk at a time: @body begin end@ is for the indices of @[begin, end)@,
-- which is never empty.
--
-- >>> parallel_ defaults { numThreads = Just 1 } (\team -> forChunks team Static 0 10 (curry print))
-- (0,10)
--
-- @since 0.1.0.0
forChunks :: Team s -> Schedule -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
forChunks = forChunksOf "Parallel.forChunks"

-- | 'forChunks' for a function of any module, @Module.function@, which an error names.
forChunksOf :: String -> Team s -> Schedule -> Int -> Int -> (Int -> Int -> IO ()) -> IO ()
forChunksOf name team sched from past chunkAction =
    mayWait name team >> forChunksHere name team sched from past chunkAction >> barrierOf name Loop team

-- | The row of boxes for the next exchange.
nextRow :: Team s -> IO Int
nextRow team = do
    n <- readByteArray (teamOwn team) exchanges
    writeByteArray (teamOwn team) exchanges (n + 1 :: Int)
    pure (if even n then 0 else sizeofMutableArray (teamBoxes team) `quot` 2)

-- | The value in a box. All members of one construct use the same type; a different one means that they are not at the
-- same construct, and is an t'ErrorCall'.
open :: forall a. Typeable a => String -> Box -> IO a
open name box = case box of
    Full value
        | Just a <- cast value -> pure a
        | otherwise -> wrong ("a value of type " ++ show (typeOf value))
    Empty -> wrong "none"
  where
    wrong got = throwIO $ ErrorCall $
        "OpenMP." ++ name ++ ": the members of the team are not at the same construct: one expects a "
        ++ "value of type " ++ show (typeRep (Proxy :: Proxy a)) ++ " and gets " ++ got

-- | One member executes the action, the first to encounter it, and all get its result, which is evaluated to weak head
-- normal form (OpenMP 5.2, section 11.1, with @copyprivate@). Ends with a barrier. All members must encounter it.
--
-- >>> parallel defaults { numThreads = Just 3 } (\team -> single team (pure "one for all"))
-- ["one for all","one for all","one for all"]
--
-- @since 0.1.0.0
single :: Typeable a => Team s -> IO a -> IO a
single team act = do
    cancellationPointOf name team
    mayWait name team
    row <- inConstruct team $ do
        r <- c_single (memberRegion (teamMember team)) (memberNumber (teamMember team))
        row <- nextRow team
        when (r == 1) $ do
            !value <- act
            writeArray (teamBoxes team) row (Full value)
        barrierOf name Single team
        pure row
    readArray (teamBoxes team) row >>= inConstruct team . open name
  where
    name = "Parallel.single"

-- | A reduction: the members' values combined in the order of their thread numbers; all get the result. Contains a
-- barrier. All members must encounter it.
--
-- >>> parallel defaults { numThreads = Just 3 } (\team -> threadNum team >>= \n -> reduce team (show n))
-- ["012","012","012"]
--
-- @since 0.1.0.0
reduce :: (Monoid m, Typeable m) => Team s -> m -> IO m
reduce team !value = do
    mayWait name team
    row <- mask_ $ do
        row <- nextRow team
        writeArray (teamBoxes team) (row + memberNumber (teamMember team)) (Full value)
        barrierOf name Reduce team
        pure row
    let go i !acc
            | i == teamSize team = pure acc
            | otherwise = readArray (teamBoxes team) (row + i) >>= open name >>= \v -> go (i + 1) (acc <> v)
    inConstruct team (readArray (teamBoxes team) row >>= open name >>= go 1)
  where
    name = "Parallel.reduce"

-- Unsafe calls: they never wait; the longest of them wakes threads by one system call.
foreign import ccall unsafe "ghcomp_hs_thread_num" c_thread_num :: Ptr CRegion -> IO CInt
foreign import ccall unsafe "ghcomp_hs_point" c_point :: Ptr CRegion -> IO Outcome
foreign import ccall unsafe "ghcomp_hs_for_enter" c_for_enter :: Int -> Int -> Int -> Int -> IO ()
foreign import ccall unsafe "ghcomp_hs_for_next" c_for_next :: IO CBool
foreign import ccall unsafe "ghcomp_hs_for_leave" c_for_leave :: IO ()
foreign import ccall unsafe "ghcomp_hs_chunk" c_chunk :: IO (Ptr Int)
foreign import ccall unsafe "ghcomp_hs_ordered_due" c_ordered_due :: Ptr CRegion -> Int -> IO CInt
foreign import ccall unsafe "ghcomp_hs_single" c_single :: Ptr CRegion -> Int -> IO CInt
foreign import ccall unsafe "ghcomp_hs_barrier_arrive" c_barrier_arrive :: Ptr CRegion -> Ptr () -> IO CBool
foreign import ccall unsafe "ghcomp_hs_barrier_begin" c_barrier_begin :: Ptr CRegion -> Int -> IO Outcome
foreign import ccall unsafe "ghcomp_hs_left" c_left :: Ptr CRegion -> Int -> IO CBool
foreign import ccall unsafe "ghcomp_hs_task_take" c_task_take
    :: Ptr CRegion -> CBool -> Ptr (Ptr ()) -> IO (Ptr CTask)
foreign import ccall unsafe "ghcomp_hs_task_finish" c_task_finish :: Ptr CTask -> IO ()

-- Safe calls: they wait for other threads, or run C code of the program.
foreign import ccall safe "ghcomp_hs_ordered_wait" c_ordered_wait :: Ptr CRegion -> Int -> CBool -> IO Outcome
foreign import ccall safe "ghcomp_hs_barrier" c_barrier :: Ptr CRegion -> Int -> Ptr () -> IO Outcome
foreign import ccall safe "ghcomp_hs_task_run_foreign" c_task_run_foreign :: Ptr () -> IO ()
