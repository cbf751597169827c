"""What threadpoolctl sees of the runtime, and that its limits hold."""

import numpy
import sklearn.cluster
import threadpoolctl


def of_openmp():
    return [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "openmp"]


for pool in of_openmp():
    print(pool["internal_api"], pool["prefix"], pool["num_threads"])

with threadpoolctl.threadpool_limits(limits=1, user_api="openmp"):
    print("limited:", *(pool["num_threads"] for pool in of_openmp()))
    points = numpy.arange(20.0).reshape(10, 2)
    print(sorted(sklearn.cluster.KMeans(2, n_init=1, random_state=0).fit(points).labels_.tolist()))
print("again:", *(pool["num_threads"] for pool in of_openmp()))
