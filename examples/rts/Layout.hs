module Main (main) where

foreign import ccall unsafe "layout" main :: IO ()
