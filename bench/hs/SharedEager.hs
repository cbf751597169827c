{-# LANGUAGE CPP #-}
{-# OPTIONS_GHC -feager-blackholing #-}

-- | The lazy values of shared_values.h, marked as taken when their evaluation begins.
module SharedEager (values) where

#include "shared_values.h"
