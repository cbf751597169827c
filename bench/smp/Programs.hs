-- | Small Haskell programs that differ in how much they allocate and in how they use lazy values: from loops without
-- either to streams, tables and circuits in which nearly every value is lazy. Each is a function from a size to a
-- number that depends on all of its work, so that two variants can be compared.
module Programs
  ( Program (..)
  , programs
  ) where

import qualified Circuit
import qualified Lists
import qualified Loops
import qualified Machine
import qualified Matrices
import qualified Naturals
import qualified Parser
import qualified Tables
import qualified Trees

data Program = Program
  { name :: String
  , programSize :: !Int
  -- ^ Chosen for some 100 ms.
  , run :: Int -> Int
  }

programs :: [Program]
programs =
  [ Program "nfib" 35 Loops.nfib
  , Program "tak" 18 Loops.takeuchi
  , Program "sieve" 60000 Lists.sieve
  , Program "queens" 11 Lists.queens
  , Program "sort" 60000 Lists.sorting
  , Program "text" 60000 Lists.text
  , Program "naturals" 12 Naturals.power
  , Program "subsequence" 600 Tables.subsequence
  , Program "knapsack" 200 Tables.knapsack
  , Program "dictionary" 50000 Trees.dictionary
  , Program "life" 300 Trees.life
  , Program "fft" 14 Matrices.fourier
  , Program "gauss" 90 Matrices.gauss
  , Program "circuit" 15000 Circuit.adder
  , Program "parser" 12000 Parser.expression
  , Program "machine" 4000000 Machine.collatz
  ]
