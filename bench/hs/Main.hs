-- | The measurements with our library: its own rows, C kernels on our runtime, and the peers in Haskell, one binary.
module Main (main) where

import qualified Calls
import qualified Enter
import qualified Heat
import qualified Ours
import qualified OursTeam
import qualified Peers
import Program (program)

main :: IO ()
main = program [Calls.rows, Enter.rows, Heat.rows, Ours.rows, OursTeam.rows, Peers.rows]
