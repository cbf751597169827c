module Shapes.Area (area) where

import Shapes.Type (Shape)

area :: Shape -> Int
