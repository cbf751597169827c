{-# LANGUAGE CPP #-}
{-# OPTIONS_GHC -O1 -feager-blackholing #-}

-- | The lazy values of shared_thunks.h, compiled with -feager-blackholing.
module ThunksEager (Shared, thunk, value) where

#include "shared_thunks.h"
