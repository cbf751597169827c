-- | A program for parallel-make's test: five modules, two of which import each other.
module Main (main) where

import Shapes.Area (area)
import Shapes.Text (text)
import Shapes.Type (Shape (..))

main :: IO ()
main = mapM_ (\s -> putStrLn (text s ++ ": " ++ show (area s))) [Square 3, Rectangle 2 5, Twice (Square 2)]
