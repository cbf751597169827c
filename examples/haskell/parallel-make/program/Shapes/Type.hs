module Shapes.Type (Shape (..)) where

data Shape = Square Int | Rectangle Int Int | Twice Shape
