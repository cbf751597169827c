export OMP_NUM_THREADS=2
export LD_PRELOAD=$DROPIN/libgomp.so.1
python3 learn.py
python3 pools.py
Rscript table.R
