{-# LANGUAGE CPP #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE LinearTypes #-}
{-# OPTIONS_GHC -O1 #-}

-- | The tests of linear_order.h, compiled by this level of optimization.
module LinearOrder1 (tests) where

#define LEVEL "-O1"
#include "linear_order.h"
