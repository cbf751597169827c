module GHC.OpenMP (version) where
version :: [Int]
version = [0,1]
