"""A model of scikit-learn, fitted by OpenMP threads, and then by the processes of a pool that are forked afterwards."""

import multiprocessing

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier

random = numpy.random.default_rng(1)
points = random.normal(size=(4000, 8))
labels = (points[:, 0] * points[:, 1] > 0).astype(int)


def fit(seed):
    model = HistGradientBoostingClassifier(max_iter=5, random_state=seed)
    return round(model.fit(points, labels).score(points, labels), 1)


if __name__ == "__main__":
    print("in this process:", fit(0), flush=True)
    # The pool's processes are copies of this one, which has had parallel regions.
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print("in forked ones:", *pool.map(fit, [0, 1]), flush=True)
