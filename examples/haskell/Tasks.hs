-- | OpenMP tasks with Haskell bodies: work whose amount or order is not known in advance.
--
-- Three programs in one: the Fibonacci numbers, where each task waits for its two children; a tree of unknown shape,
-- where nobody waits but the group that holds all of it; and a table whose blocks depend on each other, where the
-- runtime finds an order from what each task reads and writes.
module Main (main) where

import Control.Monad (forM_, unless)
import Data.IORef (atomicModifyIORef', newIORef, readIORef, writeIORef)
import qualified Data.Vector as V
import qualified Data.Vector.Unboxed as U
import qualified Data.Vector.Unboxed.Mutable as M
import OpenMP.Parallel
import OpenMP.Settings
import System.Exit (exitFailure)

-- | The task and the one that made it share an 'Data.IORef.IORef'. After 'taskwait' the child has ended, and what it
-- wrote is there. Below the cutoff a task would cost more than its work.
fib :: Team s -> Int -> IO Integer
fib team n
  | n < 15 = pure $! plainFib n
  | otherwise = do
      left <- newIORef 0
      task team (fib team (n - 1) >>= writeIORef left)
      right <- fib team (n - 2)
      taskwait team
      (+ right) <$> readIORef left

plainFib :: Int -> Integer
plainFib n = if n < 2 then toInteger n else plainFib (n - 1) + plainFib (n - 2)

-- | A node has a number and any amount of children.
data Tree = Node !Int [Tree]

-- | A tree that leans to one side, so that no split in advance would be fair: node k has the children 2k+1 and 2k+2, or
-- one child only, or none.
tree :: Int -> Tree
tree k = Node k [tree child | k < 20000, child <- if k `mod` 3 == 0 then [2 * k + 1] else [2 * k + 1, 2 * k + 2]]

plainSum :: Tree -> Int
plainSum (Node k children) = k + sum (map plainSum children)

-- | One task for each node down to a depth. A task doesn't wait for those that it made: the group's end waits for all.
treeSum :: Team s -> Tree -> IO Int
treeSum team root = do
  total <- newIORef 0
  let visit :: Int -> Tree -> IO ()
      visit depth node@(Node k children)
        | depth == 0 = add (plainSum node)
        | otherwise = add k >> mapM_ (task team . visit (depth - 1)) children
      add k = atomicModifyIORef' total (\t -> let new = t + k in new `seq` (new, ()))
  taskgroup team (visit 8 root)
  readIORef total

-- | How many letters must be changed, added or removed to turn one word into the other. Entry (i, j) of the table needs
-- the entries above, to the left, and above to the left, so blocks along a diagonal can be computed at the same time.
-- Each block is a task that names what it reads, the blocks above and to the left, and what it writes, itself. The
-- block in between need not be named: both of the others come after it.
distance :: Team s -> String -> String -> IO Int
distance team word other = do
  table <- M.replicate ((n + 1) * (m + 1)) 0
  let at i j = i * (m + 1) + j
  forM_ [0 .. n] $ \i -> M.write table (at i 0) i
  forM_ [0 .. m] $ \j -> M.write table (at 0 j) j
  marks <- V.replicateM (rows * columns) newDep
  let mark r c = marks V.! (r * columns + c)
      entry i j = do
        up <- M.read table (at (i - 1) j)
        left <- M.read table (at i (j - 1))
        across <- M.read table (at (i - 1) (j - 1))
        let change = if letters U.! (i - 1) == others U.! (j - 1) then 0 else 1
        M.write table (at i j) $! minimum [up + 1, left + 1, across + change]
      block r c =
        forM_ [r * side + 1 .. min n ((r + 1) * side)] $ \i ->
          forM_ [c * side + 1 .. min m ((c + 1) * side)] $ \j -> entry i j
  forM_ [0 .. rows - 1] $ \r ->
    forM_ [0 .. columns - 1] $ \c ->
      let readsFrom = [In (mark (r - 1) c) | r > 0] ++ [In (mark r (c - 1)) | c > 0]
       in taskWith team taskDefaults {depends = Out (mark r c) : readsFrom} (block r c)
  taskwait team
  M.read table (at n m)
  where
    n = length word
    m = length other
    letters = U.fromList word
    others = U.fromList other
    side = 32
    rows = (n + side - 1) `div` side
    columns = (m + side - 1) `div` side

-- | The same, one row after the other.
plainDistance :: String -> String -> Int
plainDistance word other = last (foldl row [0 .. length other] word)
  where
    row above@(corner : rest) letter = scanl entry (corner + 1) (zip3 other above rest)
      where
        entry left (o, across, up) = minimum [left + 1, up + 1, across + if o == letter then 0 else 1]
    row [] _ = []

main :: IO ()
main = do
  (fibonacci, nodes, edits) <- parallelTasks defaults $ \team ->
    (,,) <$> fib team 24 <*> treeSum team (tree 1) <*> distance team first second
  putStrLn ("fib 24: " ++ show fibonacci)
  putStrLn ("sum of the tree: " ++ show nodes)
  putStrLn ("edit distance: " ++ show edits)
  unless (fibonacci == plainFib 24 && nodes == plainSum (tree 1) && edits == plainDistance first second) $ do
    putStrLn "WRONG: the plain functions say otherwise"
    exitFailure
  where
    first = take 400 (cycle "the quick brown fox jumps over the lazy dog ")
    second = take 380 (cycle "a lazy dog was jumped over by quick foxes ")
