-- | What the user sees while modules are compiled: on a terminal one line that changes, elsewhere a line for each.
module Display
  ( Display
  , newDisplay
  , during
  , say
  , finish
  ) where

import Control.Concurrent.MVar
import Control.Exception (bracket_)
import Control.Monad (unless, when)
import Data.List (delete, intercalate)
import qualified Data.Set as Set
import System.IO

data Display = Display
  { state :: MVar State
  , wanted :: Int -- ^ how many compilations there are
  , terminal :: Bool
  , quiet :: Bool
  }

data State = State
  { begun :: !(Set.Set String) -- ^ each once, also what is compiled again to find an error
  , running :: [String]
  }

newDisplay :: Bool -> Int -> IO Display
newDisplay hush n = do
  isTerminal <- hIsTerminalDevice stdout
  hSetBuffering stdout LineBuffering
  variable <- newMVar (State Set.empty [])
  pure (Display variable n isTerminal hush)

-- | Shows a name as long as the action lasts.
during :: Display -> String -> IO a -> IO a
during display name = bracket_ begin end
  where
    begin = modifyMVar_ (state display) $ \s -> do
      let new = State (Set.insert name (begun s)) (running s ++ [name])
      unless (terminal display || quiet display) (putStrLn (count new ++ " " ++ name))
      new <$ redraw display new
    end = modifyMVar_ (state display) $ \s -> do
      let new = s { running = delete name (running s) }
      new <$ redraw display new
    count s = "[" ++ show (Set.size (begun s)) ++ " of " ++ show (wanted display) ++ "]"

-- | Prints text above the line.
say :: Display -> String -> IO ()
say display text = unless (null text) $ withMVar (state display) $ \s -> do
  clear display
  putStr text
  redraw display s

-- | Takes the line away.
finish :: Display -> IO ()
finish display = withMVar (state display) (\_ -> clear display >> hFlush stdout)

redraw :: Display -> State -> IO ()
redraw display s = when (terminal display && not (quiet display)) $ do
  clear display
  putStr (take 110 (done ++ intercalate ", " (running s)))
  hFlush stdout
  where
    done = "[" ++ show (Set.size (begun s)) ++ "/" ++ show (wanted display) ++ "] "

clear :: Display -> IO ()
clear display = when (terminal display && not (quiet display)) (putStr "\r\ESC[K")
