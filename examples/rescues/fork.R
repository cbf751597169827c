# The same from R: a product of matrices by OpenBLAS, and then in processes that mclapply forks.
m <- matrix((1:90000 %% 17) / 17, 300)
total <- function(i) sum(m %*% m) * i

cat("in this process:", total(1), "\n")
cat("in forked ones:", unlist(parallel::mclapply(1:2, total, mc.cores = 2)), "\n")
