-- Nothing is floated out of a function: a part that does not depend on the size would be evaluated once for all runs.
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | A parser made of functions, and the tree that it returns.
module Parser
  ( expression
  ) where

import Data.Char (isDigit)

newtype Parser a = Parser { parse :: String -> [(a, String)] }

instance Functor Parser where
  fmap f p = Parser $ \s -> [(f a, rest) | (a, rest) <- parse p s]

instance Applicative Parser where
  pure a = Parser $ \s -> [(a, s)]
  f <*> p = Parser $ \s -> [(g a, rest') | (g, rest) <- parse f s, (a, rest') <- parse p rest]

instance Monad Parser where
  p >>= f = Parser $ \s -> concat [parse (f a) rest | (a, rest) <- parse p s]

orElse :: Parser a -> Parser a -> Parser a
orElse p q = Parser $ \s -> case parse p s of
  [] -> parse q s
  found -> found

oneOf :: (Char -> Bool) -> Parser Char
oneOf wanted = Parser $ \s -> case s of
  c : rest | wanted c -> [(c, rest)]
  _ -> []

many1 :: Parser a -> Parser [a]
many1 p = (:) <$> p <*> orElse (many1 p) (pure [])

data Tree = Number Int | Operation Char Tree Tree

chain :: Parser Tree -> (Char -> Bool) -> Parser Tree
chain operand operator = operand >>= more
  where
    more left = orElse (oneOf operator >>= \o -> operand >>= more . Operation o left) (pure left)

sumOf, productOf, factor :: Parser Tree
sumOf = chain productOf (`elem` "+-")
productOf = chain factor (== '*')
factor = orElse (Number . read <$> many1 (oneOf isDigit)) (oneOf (== '(') *> sumOf <* oneOf (== ')'))

value :: Tree -> Int
value (Number n) = n
value (Operation o a b) = case o of
  '+' -> (value a + value b) `mod` 1000003
  '-' -> (value a - value b) `mod` 1000003
  _ -> (value a * value b) `mod` 1000003

-- | The value of an expression of about so many numbers.
expression :: Int -> Int
expression n = case parse sumOf (written n) of
  [(tree, "")] -> value tree
  _ -> -1
  where
    written k
      | k < 2 = show k
      | even k = "(" ++ written (k `div` 2) ++ "+" ++ show (k `mod` 97) ++ ")*" ++ written (k - k `div` 2 - 1)
      | otherwise = written (k `div` 3) ++ "-" ++ "(" ++ written (k - k `div` 3 - 1) ++ ")"
