{-# LANGUAGE GHCForeignImportPrim #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}
-- GHCi's byte code has no primitive calls.
{-# OPTIONS_GHC -fobject-code #-}

-- |
-- Module:      OpenMP.Internal.Force
-- Description: Evaluating a lazy value, and telling its own exceptions from those of other threads
--
-- The interface is not stable.
--
-- A member that evaluates the elements of a structure must continue with the next element when one throws: that
-- exception belongs to the element. But an exception that another thread throws (a timeout, a kill, the library's
-- interrupt) must leave the member. "Control.Exception" catches both in the same way. The value itself distinguishes
-- them: after an exception of its own it raises that exception again, after another one it is still under evaluation
-- (@cmm\/raises.cmm@).
--
-- == How an exception from outside leaves
--
-- Thrown again by 'Control.Exception.throwIO' it would be one of the code's own, and all lazy values under evaluation
-- outside of the handler would end with it for good. So the thread throws it to itself, as another thread would: then
-- they can be resumed, and the code after it in 'force' resumes the value.
--
-- It does so in the handler, where asynchronous exceptions are masked. There the exception goes to the head of the
-- thread's own queue, and is raised when the handler's mask ends. Later would be wrong: when a second exception came
-- first, the first one would be thrown only when a thread resumes the value.
--
-- == Many values
--
-- A handler for each value costs about as much as a cheap value does. So 'forceEach' has one for all of them, and
-- records before each value which one it is and where to go on after it.
--
-- Callers: "OpenMP.Eval", "OpenMP.Internal.Buffer", "OpenMP.Internal.Conquer". Tests: @test\/hs\/library\/EvalTest.hs@.
module OpenMP.Internal.Force
    ( force
    , Step (..)
    , forceEach
    , raises
    , passOn
    , action
    ) where

import Control.Concurrent (myThreadId)
import Control.Exception (SomeException, allowInterrupt, catch, evaluate, throwTo)
import Control.Monad (void)
import qualified Data.IORef as R
import GHC.Exts (Any, Int#, RealWorld, State#, isTrue#, runRW#, (/=#))
import GHC.IO (IO (..))
import Unsafe.Coerce (unsafeCoerce)

foreign import prim "ghcomp_prim_raises"
    raises# :: Any -> State# RealWorld -> (# State# RealWorld, Int# #)

-- | Whether the evaluation of this value has ended by an exception of its own. The value is not evaluated.
--
-- >>> let bad = error "bad" :: Int
-- >>> raises bad
-- False
-- >>> import Control.Exception
-- >>> _ <- try (evaluate bad) :: IO (Either ErrorCall Int)
-- >>> raises bad
-- True
raises :: a -> IO Bool
raises value = IO $ \s -> case raises# (unsafeCoerce value) s of
    (# s', r #) -> (# s', isTrue# (r /=# 0#) #)
{-# NOINLINE raises #-}

-- | What came of an evaluation.
data Came a = Value a | Own SomeException | FromOutside

-- | Evaluates the value to weak head normal form, or to an exception of its own. Other exceptions pass; another
-- evaluation of the caller after one of them resumes the value.
--
-- >>> force (6 * 7 :: Int)
-- Right 42
-- >>> either (const "its own") show <$> force (error "bad" :: Int)
-- "its own"
force :: a -> IO (Either SomeException a)
force value = do
    came <- (Value <$> evaluate value) `catch` \e -> do
        own <- raises value
        if own then pure (Own e) else FromOutside <$ passOn e
    case came of
        Value x     -> pure (Right x)
        Own e       -> pure (Left e)
        FromOutside -> allowInterrupt >> force value
{-# NOINLINE force #-} -- so that the value is one, and updated

-- | What comes next in 'forceEach'.
data Step s
    = Step !s () -- ^ this unit, and after it the step from that state
    | Done !s    -- ^ nothing

-- | How the units under one handler have ended: all of them; by the exception of one itself; by one from outside, after
-- which that unit is to be resumed. The last two with the state after the unit.
data Ended s = All s | Threw s | Interrupted s ()

-- | Evaluates the units of the steps one after the other, each as 'force' does, and returns the state of 'Done'. An
-- exception of a unit's own leaves it for the next step. A step throws none itself, and can be begun again after an
-- interruption.
--
-- >>> let upTo n i = pure (if i == n then Done i else Step (i + 1) (if odd i then () else error "even"))
-- >>> forceEach (upTo (10 :: Int)) 0
-- 10
forceEach :: (s -> IO (Step s)) -> s -> IO s
forceEach step = go
  where
    go from = do
        states <- R.newIORef from
        units <- R.newIORef ()
        let run state = do
                next <- step state
                case next of
                    Done end        -> pure end
                    Step after unit -> evaluated states units after unit >> run after
        came <- (All <$> run from) `catch` \e -> do
            after <- R.readIORef states
            unit <- R.readIORef units
            own <- raises unit
            if own then pure (Threw after) else Interrupted after unit <$ passOn e
        case came of
            All end                -> pure end
            Threw after            -> go after
            Interrupted after unit -> allowInterrupt >> void (force unit) >> go after
{-# INLINE forceEach #-}

-- | Evaluates the unit, which is recorded with the state after it.
evaluated :: R.IORef s -> R.IORef () -> s -> () -> IO ()
evaluated states units after unit = do
    R.writeIORef states after
    R.writeIORef units unit
    void (evaluate unit)
{-# NOINLINE evaluated #-} -- so that the unit is one, and updated

-- | Throws an exception that has come from another thread, in the same way: for handlers. A caller that has masked
-- asynchronous exceptions before gets it in 'allowInterrupt'.
--
-- >>> import Control.Exception
-- >>> try (passOn (toException ThreadKilled)) :: IO (Either AsyncException ())
-- Left thread killed
passOn :: SomeException -> IO ()
passOn e = myThreadId >>= (`throwTo` e)

-- | An action as a lazy value, for 'force': it runs when the value is evaluated. After an exception from outside,
-- another evaluation resumes it. Not inlined, so that it runs once.
--
-- >>> force (action (putStrLn "now"))
-- now
-- Right ()
action :: IO a -> a
action (IO act) = case runRW# act of (# _, value #) -> value
{-# NOINLINE action #-}
