-- A callback is coerced to be one of another type of C's, which C would call in another way.
-- expect: Couldn't match type "?[A-Za-z.]*CCallback"? with "?[A-Za-z.]*CMapCallback"?
module Main (main) where

import Data.Coerce (coerce)
import Foreign (nullPtr)
import OpenMP.Callback

main :: IO ()
main = withCallback (\_ -> pure ()) $ \callback ->
    print (callbackPtr (coerce callback :: MapCallback) == nullPtr)
