{-# LANGUAGE CPP #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}
{-# OPTIONS_GHC -O2 #-}

-- | The tests of linear_order.h, compiled by this level of optimization.
module LinearOrder2 (tests) where

#define LEVEL "-O2"
#include "linear_order.h"
