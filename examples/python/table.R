# A sum for each group by data.table's OpenMP threads, a product by those of OpenBLAS, and both in forked processes.
suppressMessages(library(data.table))

setDTthreads(2)
cat(sprintf("threads of data.table: %d\n", getDTthreads()))
d <- data.table(group = rep(1:4, 250000), value = 1:1000000)
sums <- function() d[, .(total = sum(as.numeric(value))), by = group]$total
cat("sums of the groups:", sprintf("%.0f", sums()), fill = TRUE)

m <- matrix(1:250000 %% 7, 500)
products <- function(i) sum(crossprod(m + i))
here <- products(1)

forked <- parallel::mclapply(c(1, 1), function(i) list(products(i), sum(sums())), mc.cores = 2)
same <- all(sapply(forked, function(f) f[[1]] == here && f[[2]] == sum(sums())))
cat(sprintf("the same in two forked processes: %s\n", same))
