-- A callback of the type that C expects is made of the function.
module Main (main) where

import Foreign (nullPtr)
import OpenMP.Callback

main :: IO ()
main = withMapCallback pure $ \callback -> print (callbackPtr callback == nullPtr)
