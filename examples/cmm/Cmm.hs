{-# LANGUAGE CPP #-}
{-# LANGUAGE TemplateHaskellQuotes #-}
-- | Cmm in a Haskell module: the quasiquoter compiles it, and Template Haskell links the object with the module.
module Cmm (cmm) where

import Control.Monad (when)
import Language.Haskell.TH.Quote (QuasiQuoter (..))
import Language.Haskell.TH.Syntax (Dec, ForeignSrcLang (RawObject), Q, addForeignFilePath, addTempFile, runIO)
import System.Exit (ExitCode (..))
import System.Process (readProcessWithExitCode)

-- | Declarations in Cmm, after @#include "Cmm.h"@. A @foreign import prim@ of the same module calls them.
cmm :: QuasiQuoter
cmm = QuasiQuoter
    { quoteDec = compile
    , quoteExp = elsewhere
    , quotePat = elsewhere
    , quoteType = elsewhere
    }
  where
    elsewhere _ = fail "cmm: write it between declarations"

-- | By the @ghc@ of the search path. It must be the one that compiles the module: fields of the RTS differ between
-- versions.
compile :: String -> Q [Dec]
compile text = do
    version <- ghc ["--numeric-version"]
    when (concat (lines version) /= compiler) $
        fail ("cmm: ghc is version " ++ concat (lines version) ++ ", and " ++ compiler
              ++ " compiles this module: put that one first into PATH")
    source <- addTempFile "cmm"
    object <- addTempFile "o"
    runIO (writeFile source ("#include \"Cmm.h\"\n" ++ text))
    _ <- ghc ["-c", "-O", "-fPIC", source, "-o", object]
    addForeignFilePath RawObject object
    return []
  where
    compiler = __GLASGOW_HASKELL_FULL_VERSION__

ghc :: [String] -> Q String
ghc arguments = do
    (code, output, errors) <- runIO (readProcessWithExitCode "ghc" arguments "")
    case code of
        ExitSuccess -> return output
        ExitFailure _ -> fail ("cmm: " ++ errors)
