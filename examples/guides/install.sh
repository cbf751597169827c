make
make install PREFIX=$HOME/ghc-openmp
export PATH=$HOME/ghc-openmp/bin:$PATH

export CPATH=$HOME/ghc-openmp/include
export LIBRARY_PATH=$HOME/ghc-openmp/lib
export LD_LIBRARY_PATH=$HOME/ghc-openmp/lib
export PKG_CONFIG_PATH=$HOME/ghc-openmp/lib/pkgconfig
export CMAKE_PREFIX_PATH=$HOME/ghc-openmp
