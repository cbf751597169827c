{-# LANGUAGE LinearTypes #-}
module Main (main) where

import Data.Array.Linear (Slice, Ur (..), (&))
import qualified Data.Array.Linear as L

data Held p = Held (Slice p Int) ()

giveUp :: Held p %1 -> ()
giveUp (Held token ()) = L.discard token

main :: IO ()
main = print (L.alloc 3 0 (\s -> giveUp (Held s ()) & \() -> Ur 'x'))
