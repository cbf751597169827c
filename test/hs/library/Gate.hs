-- | Gates in C: a foreign call that blocks until the test lets it go on.
module Gate
    ( Gate
    , CGate
    , withGate
    , gatePointer
    , pass
    , open
    , entered
    , until_
    , passFunction
    ) where

import Control.Concurrent (yield)
import Control.Exception  (bracket)
import Control.Monad      (unless)
import Foreign            (FunPtr, Ptr)
import Foreign.C.Types    (CInt (..))
import GHC.Clock          (getMonotonicTime)

data CGate
newtype Gate = Gate (Ptr CGate)

foreign import ccall unsafe "gate_new" c_new :: IO (Ptr CGate)
-- Safe: it blocks.
foreign import ccall safe "gate_pass" c_pass :: Ptr CGate -> IO CInt
-- The other functions hold the lock for an instant, and no thread that holds it waits for a Capability.
foreign import ccall unsafe "gate_open" c_open :: Ptr CGate -> IO ()
foreign import ccall unsafe "gate_entered" c_entered :: Ptr CGate -> IO CInt
foreign import ccall unsafe "gate_free" c_free :: Ptr CGate -> IO ()
foreign import ccall "&gate_pass" passFunction :: FunPtr (Ptr CGate -> IO CInt)

-- The gate is opened at the end, but freed only when the action ended well: otherwise a thread may still be in it.
withGate :: (Gate -> IO a) -> IO a
withGate action = do
    value <- bracket c_new c_open $ \gate -> (,) gate <$> action (Gate gate)
    c_free (fst value)
    pure (snd value)

gatePointer :: Gate -> Ptr CGate
gatePointer (Gate gate) = gate

pass :: Gate -> IO Int
pass (Gate gate) = fromIntegral <$> c_pass gate

open :: Gate -> IO ()
open (Gate gate) = c_open gate

entered :: Gate -> IO Int
entered (Gate gate) = fromIntegral <$> c_entered gate

-- | Looks again and again, for a minute at most; other Haskell threads run in between.
until_ :: String -> IO Bool -> IO ()
until_ what look = do
    start <- getMonotonicTime
    let again = do
            yes <- look
            now <- getMonotonicTime
            unless yes $ if now - start > 60
                then ioError (userError ("waited in vain for: " ++ what))
                else yield >> again
    again
