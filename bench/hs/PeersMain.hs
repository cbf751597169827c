-- | The measurements without our library: C kernels on the OpenMP runtime that the program is linked with (libgomp, or
-- libomp in its place), and the peers in Haskell.
module Main (main) where

import qualified Beside
import qualified Calls
import qualified Heat
import qualified Peers
import Program (program)

main :: IO ()
main = program [Beside.rows, Calls.rows, Heat.rows, Peers.rows]
