-- Effects behind the pure functions of Data.Array.Linear happen once and in order: nothing is floated out, shared or
-- done twice by GHC. Included by LinearOrder1.hs and LinearOrder2.hs, which choose the level of optimization. Each
-- test is written so that a compiler that took the operations for ordinary pure code would have something to move:
-- equal arguments, an address that a loop does not change, a result that is used at once.

import Control.Concurrent (forkIO, getNumCapabilities, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (evaluate)
import Control.Monad (forM, forM_)
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)
import qualified Data.Vector.Storable as V
import Test.Tasty
import Test.Tasty.HUnit

import Data.Array.Linear (Slice, Split (..), Ur (..), unur, (&))
import qualified Data.Array.Linear as L
import Data.Array.Linear.Parallel

tests :: TestTree
tests = testGroup ("order of effects, " ++ LEVEL)
    [ testCase "two arrays of equal arguments are two arrays" $ do
        unur (L.alloc 4 (0 :: Int) (\s -> L.alloc 4 (0 :: Int) (\t ->
            L.fill 1 s & L.freeze & \(Ur v) -> L.freeze t & \(Ur w) -> Ur (v, w))))
            @?= (V.replicate 4 1, V.replicate 4 0)
        unur (L.alloc 4 'x' (\s -> L.alloc 4 'x' (\t ->
            L.unsafeWithSliceC (\p _ -> pure p) s & \(Ur p, s') ->
            L.unsafeWithSliceC (\q _ -> pure q) t & \(Ur q, t') ->
            L.discard s' & \() -> L.discard t' & \() -> Ur (p == q)))) @?= False
    , testCase "equal computations on equal arrays do not see each other" $ do
        let filled = unur (L.alloc 3 (0 :: Int) (\s -> L.freeze (L.modify 0 (+ 1) s)))
            again = unur (L.alloc 3 (0 :: Int) (\s -> L.freeze (L.modify 0 (+ 1) s)))
        (filled, again) @?= (V.fromList [1, 0, 0], V.fromList [1, 0, 0])
    , testCase "reads and writes of one element alternate" $
        unur (L.alloc 1 (0 :: Int) (counted 1000)) @?= 1000
    , testCase "a view reads what was written since the last borrow" $
        unur (L.alloc 1 (1 :: Int) (lendings 30)) @?= 2 ^ (30 :: Int)
    , testCase "a frozen vector has the last write" $ do
        let final i = unur (L.alloc 1 0 (\s -> L.write 0 (i :: Int) s & L.freeze & \(Ur v) -> Ur (V.head v)))
            lasts = map final [1 .. 100]
        lasts @?= [1 .. 100]
    , testCase "effects on both parts come before what follows combine" $ do
        let swapped n = unur (L.alloc 2 n (\s -> s & L.split 1 & \(Split j l r) ->
                L.combine j (L.write 0 (n + 1) l) (L.write 0 (n + 2) r) & L.read 1 & \(Ur y, s') ->
                L.read 0 s' & \(Ur x, s'') -> L.discard s'' & \() -> Ur [y, x]))
        map swapped [1 .. 50 :: Int] @?= [[n + 2, n + 1] | n <- [1 .. 50]]
    , testCase "each call happens once, on empty parts too" $ do
        calls <- newIORef 0
        let bump :: Slice p Char %1 -> Slice p Char
            bump s = L.unsafeWithSliceC (\_ _ -> count calls) s & \(Ur (), s') -> s'
        _ <- evaluate (L.alloc 0 'x' (\s -> s & L.split 0 & \(Split j l r) ->
            L.combine j (bump (bump l)) (bump (bump r)) & bump & L.freeze))
        readIORef calls >>= (@?= 5)
    , testCase "a discarded token's effects happen" $ do
        calls <- newIORef 0
        _ <- evaluate (L.alloc 1 'x' (\s -> L.unsafeWithSliceC (\_ _ -> count calls) s & \(Ur (), s') ->
            L.discard s' & \() -> Ur ()))
        readIORef calls >>= (@?= 1)
    , testCase "sparks that two threads may take run once" $ do
        calls <- newIORef 0
        -- The array depends on the turn: GHC may share the result of a computation that does not.
        forM_ [1 .. 50 :: Int] $ \turn -> do
            let result = unur (L.alloc 256 turn (\s -> L.freeze (tree calls 8 s)))
            V.sum result @?= 256 * (turn + 1)
        readIORef calls >>= (@?= 50 * 256)
    , testCase "threads that need one result compute it once" $ do
        n <- getNumCapabilities
        calls <- newIORef 0
        forM_ [1 .. 100 :: Int] $ \turn -> do
            let result = unur (L.alloc 100 turn (\s ->
                    L.unsafeWithSliceC (\_ _ -> count calls) s & \(Ur (), s') -> L.freeze (L.map (+ 1) s')))
            sums <- forM [1 .. n + 2] $ \_ -> do
                box <- newEmptyMVar
                _ <- forkIO (evaluate (V.sum result) >>= putMVar box)
                pure box
            mapM takeMVar sums >>= (@?= replicate (n + 2) (100 * (turn + 1)))
        readIORef calls >>= (@?= 100)
    ]

count :: IORef Int -> IO ()
count calls = atomicModifyIORef' calls (\n -> (n + 1, ()))

counted :: Int -> Slice p Int %1 -> Ur Int
counted 0 s = L.read 0 s & \(x, s') -> L.discard s' & \() -> x
counted n s = L.read 0 s & \(Ur x, s') -> counted (n - 1) (L.write 0 (x + 1) s')

-- The address is the same each time, and so is what is read there but for the write in between.
lendings :: Int -> Slice p Int %1 -> Ur Int
lendings 0 s = L.lend s (\v -> Ur (L.index v 0)) & \(s', x) -> L.discard s' & \() -> x
lendings n s = L.lend s (\v -> Ur (L.index v 0)) & \(s', Ur x) ->
    L.lend (L.write 0 (x + x) s') (\v -> Ur (L.index v 0)) & \(s'', Ur y) -> lendings (n - 1) (L.write 0 y s'')

tree :: IORef Int -> Int -> Slice p Int %1 -> Slice p Int
tree calls 0 s = L.unsafeWithSliceC (\_ _ -> count calls) (L.map (+ 1) s) & \(Ur (), s') -> s'
tree calls depth s = L.halve s & \(Split j l r) ->
    parCombine Sparks j (tree calls (depth - 1)) (tree calls (depth - 1)) l r
