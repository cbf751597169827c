module Shapes.Text (text) where

import Shapes.Type (Shape (..))

text :: Shape -> String
text (Square n) = "square of " ++ show n
text (Rectangle a b) = "rectangle of " ++ show a ++ " and " ++ show b
text (Twice s) = "two times " ++ text s
