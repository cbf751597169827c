-- | The part of MPI that Stencil.hs needs, and a pattern for more of it: mpi_calls.c knows MPI's constants and handles,
-- and this module makes safe calls of its functions.
--
-- The calls are safe because each may wait for another process. While it does, its Capability runs other Haskell
-- threads. An unsafe call would keep the Capability, and with it the whole process at the next garbage collection.
module Mpi (withMpi, rank, size, exchange, Operation (..), allreduce) where

import Control.Exception (SomeException, throwIO, try)
import Control.Monad (when)
import Foreign.C.Types (CDouble (..), CInt (..))
import Foreign.Marshal.Alloc (alloca)
import Foreign.Marshal.Array (allocaArray, peekArray, pokeArray)
import Foreign.Ptr (Ptr)
import Foreign.Storable (peek)
import System.IO (hFlush, hPutStrLn, stderr, stdout)

foreign import ccall safe "mpi_begin" c_begin :: Ptr CInt -> IO CInt
foreign import ccall unsafe "mpi_multiple" c_multiple :: IO CInt
foreign import ccall safe "mpi_end" c_end :: IO CInt
foreign import ccall safe "mpi_abort" c_abort :: CInt -> IO CInt
foreign import ccall unsafe "mpi_rank" c_rank :: Ptr CInt -> IO CInt
foreign import ccall unsafe "mpi_size" c_size :: Ptr CInt -> IO CInt
foreign import ccall safe "mpi_exchange_doubles"
  c_exchange :: CInt -> CInt -> Ptr Double -> CInt -> Ptr Double -> CInt -> IO CInt
foreign import ccall safe "mpi_allreduce_doubles" c_allreduce :: CInt -> Ptr CDouble -> CInt -> IO CInt

-- | MPI ends all processes when a call fails, unless another error handler was set; this is for those that set one.
check :: String -> IO CInt -> IO ()
check name call = do
  status <- call
  when (status /= 0) (ioError (userError (name ++ ": MPI error " ++ show status)))

-- | Initialises MPI for calls from any thread, runs the action, and ends MPI. To be called once, from @main@: MPI wants
-- its first and its last call in one operating system thread, and @main@ is bound to the process's first one. An
-- exception ends the processes of all ranks, which would wait for this one otherwise.
withMpi :: IO a -> IO a
withMpi act = do
  provided <- asked (\p -> check "MPI_Init_thread" (c_begin p))
  multiple <- fromIntegral <$> c_multiple
  result <- try (if provided < multiple then ioError (userError "no MPI_THREAD_MULTIPLE") else act)
  case result of
    Right value -> value <$ check "MPI_Finalize" c_end
    Left failure -> do
      hPutStrLn stderr ("a rank fails: " ++ show (failure :: SomeException))
      hFlush stdout
      _ <- c_abort 1
      throwIO failure

asked :: (Ptr CInt -> IO ()) -> IO Int
asked fill = alloca (\p -> fill p >> fromIntegral <$> peek p)

-- | This process's number, and how many there are.
rank, size :: IO Int
rank = asked (check "MPI_Comm_rank" . c_rank)
size = asked (check "MPI_Comm_size" . c_size)

-- | @exchange neighbour (outTag, out) (inTag, into) count@ sends @count@ numbers to a rank and receives as many from
-- it. Without a neighbour it does nothing. Both sides must have called it before it returns.
exchange :: Maybe Int -> (Int, Ptr Double) -> (Int, Ptr Double) -> Int -> IO ()
exchange neighbour (outTag, out) (inTag, into) count =
  check "MPI_Sendrecv" $
    c_exchange (maybe (-1) fromIntegral neighbour) (fromIntegral outTag) out (fromIntegral inTag) into
      (fromIntegral count)

data Operation = Add | Largest deriving (Enum)

-- | Joins the numbers of all ranks, position by position. All ranks call it, one thread of each.
allreduce :: Operation -> [Double] -> IO [Double]
allreduce operation values = allocaArray count $ \p -> do
  pokeArray p (map realToFrac values)
  check "MPI_Allreduce" (c_allreduce (fromIntegral (fromEnum operation)) p (fromIntegral count))
  map realToFrac <$> peekArray count p
  where
    count = length values
