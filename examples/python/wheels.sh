export OMP_NUM_THREADS=2
ghcomp run python3 learn.py
ghcomp run python3 boosted.py
ghcomp run python3 xgboosted.py
ghcomp run python3 pools.py
