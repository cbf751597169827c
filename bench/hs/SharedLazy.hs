{-# LANGUAGE CPP #-}
{-# OPTIONS_GHC -fno-eager-blackholing #-}

-- | The lazy values of shared_values.h, marked as taken when their thread comes to the scheduler.
module SharedLazy (values) where

#include "shared_values.h"
