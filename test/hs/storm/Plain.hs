{-# LANGUAGE RankNTypes #-}
-- | A storm of exceptions at threads that run plain Haskell: base alone, nothing of the library. It shows what GHC's
-- own RTS does under such a storm, beside StormTest of the library.
--
--     Plain KINDS SEED THROWS
--
-- Six threads run bodies of the named kinds (a comma between them), three others throw exceptions at them, at random
-- moments. As in StormTest a target is masked and unmasks inside of a `try`; each exception must be received once. The
-- last line has the numbers of exceptions thrown and received; the exit status is 1 when one was lost or came twice.
-- tools/storm.py builds and runs it.
module Main (main) where

import Control.Concurrent
import Control.Exception
import Control.Monad
import qualified Data.IORef as R
import qualified Data.List as List
import qualified Data.Map.Strict as Map
import Foreign.C.Types (CInt (..), CUInt (..))
import System.Environment (getArgs)
import System.Exit (die)
import System.Mem (performMajorGC, performMinorGC)
import System.Timeout (timeout)

import Dice

foreign import ccall safe "usleep" c_usleep :: CUInt -> IO CInt

-- | The kinds of bodies.
kinds :: [(String, Dice -> IO ())]
kinds =
    [ ("allocate", \d -> roll d 3000 >>= evaluate . sumTo >> pure ())
    , ("wait", \d -> do
        m <- newEmptyMVar
        micros <- roll d 200
        _ <- forkIO (threadDelay micros >> putMVar m ())
        takeMVar m)
    , ("delay", \d -> roll d 200 >>= threadDelay)
    , ("handler", \d -> do
        n <- roll d 1000
        bracket_ (pure ()) (pure ()) (void (evaluate (sumTo n)))
        (throwIO (ErrorCall "its own") `catch` \(ErrorCall _) -> pure ()))
    , ("timeout", \_ -> void (timeout 50 (evaluate (sumTo 3000))))
    , ("fork", \d -> do
        done <- newEmptyMVar
        n <- roll d 3000
        _ <- forkIO (evaluate (sumTo n) >>= putMVar done)
        void (takeMVar done))
    , ("safe", \d -> roll d 100 >>= void . c_usleep . fromIntegral)
    , ("collect", \_ -> performMinorGC)
    , ("major", \_ -> performMajorGC)
    ]

sumTo :: Int -> Int
sumTo n = List.foldl' (+) 0 [x | x <- [0 .. n], odd x]
{-# NOINLINE sumTo #-}

newtype Bolt = Bolt Int
    deriving (Show)

instance Exception Bolt

places, throwers :: Int
places = 6
throwers = 3

main :: IO ()
main = do
    arguments <- getArgs
    case arguments of
        [names, seed, throws]
            | Just bodies <- mapM (`lookup` (kinds ++ [("bound", \_ -> pure ())])) (splitAtCommas names) ->
                storm ("bound" `elem` splitAtCommas names) bodies (read seed) (read throws)
        _ -> die ("usage: Plain KINDS SEED THROWS; kinds are bound and " ++ unwords (map fst kinds))

splitAtCommas :: String -> [String]
splitAtCommas text = case break (== ',') text of
    (one, _ : more) -> one : splitAtCommas more
    (one, [])       -> [one]

storm :: Bool -> [Dice -> IO ()] -> Int -> Int -> IO ()
storm bound bodies seed n = do
    over <- R.newIORef False
    received <- R.newIORef Map.empty
    targets <- forM [0 .. places - 1] $ \place -> do
        done <- newEmptyMVar
        dice <- newDice (seed * 1000003 + place * 7919)
        let fork :: ((forall a. IO a -> IO a) -> IO ()) -> IO ThreadId
            fork = if bound && even place then forkOSWithUnmask else forkIOWithUnmask
        thread <- uninterruptibleMask_ $ fork $ \unmask -> do
            let got (Bolt i) = R.atomicModifyIORef' received (\m -> (Map.insertWith (+) i (1 :: Int) m, ()))
                go = do
                    stop <- R.readIORef over
                    unless stop $ do
                        k <- roll dice (length bodies)
                        try (unmask ((bodies !! k) dice)) >>= either got pure
                        go
                drain = try (unmask yield) >>= either (\e -> got e >> drain) pure
            go >> drain >> putMVar done ()
        pure (thread, done)
    thrown <- forM [0 .. throwers - 1] $ \t -> do
        done <- newEmptyMVar
        dice <- newDice (seed * 1000 + t)
        _ <- forkIO $ do
            forM_ [t, t + throwers .. n - 1] $ \i -> do
                place <- roll dice places
                throwTo (fst (targets !! place)) (Bolt i)
                how <- roll dice 4
                long <- roll dice 2000
                case how of
                    0 -> pure ()
                    1 -> yield
                    2 -> void (evaluate (sumTo (10 * long)))
                    _ -> threadDelay long
            putMVar done ()
        pure done
    mapM_ takeMVar thrown
    R.writeIORef over True
    mapM_ (takeMVar . snd) targets
    counts <- R.readIORef received
    putStrLn (show n ++ " thrown, " ++ show (sum (Map.elems counts)) ++ " received")
    unless (Map.elems counts == replicate n 1) (die "an exception was lost, or came twice")
