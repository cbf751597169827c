export OMP_NUM_THREADS=2
python3 -m ghc_openmp bundled.py
ghc-openmp run -- python3 bundled.py
ghc-openmp doctor ./part.so | sed 's/ (.*//'
