{-# LANGUAGE CPP #-}
{-# OPTIONS_GHC -O1 -fno-eager-blackholing #-}

-- | The lazy values of shared_thunks.h, compiled with -fno-eager-blackholing.
module ThunksLazy (Shared, thunk, value) where

#include "shared_thunks.h"
