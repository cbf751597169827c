-- | The measurements with our library: its own rows, C kernels on our runtime, and the peers in Haskell, one binary.
module Main (main) where

import qualified Beside
import qualified Callbacks
import qualified Calls
import qualified Commits
import qualified Duplicates
import qualified Enter
import qualified Heat
import qualified Lists
import qualified Ours
import qualified OursArrays
import qualified OursCalls
import qualified OursEval
import qualified OursHalves
import qualified OursShapes
import qualified OursShared
import qualified OursTeam
import qualified Peers
import Program (program)
import qualified Shapes

main :: IO ()
main =
  program
    [ Beside.rows
    , Callbacks.rows
    , Calls.rows
    , Commits.rows
    , Duplicates.rows
    , Enter.rows
    , Heat.rows
    , Lists.rows
    , Ours.rows
    , OursArrays.rows
    , OursCalls.rows
    , OursEval.rows
    , OursHalves.rows
    , OursShapes.rows
    , OursShared.rows
    , OursTeam.rows
    , Peers.rows
    , Shapes.rows
    ]
