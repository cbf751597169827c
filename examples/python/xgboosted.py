"""learn.py's pool with XGBoost, which Debian does not have; tools/python-wheels.sh installs and runs it."""

import multiprocessing

import numpy
import xgboost

random = numpy.random.default_rng(1)
points = random.normal(size=(4000, 8))
labels = (points[:, 0] * points[:, 1] > 0).astype(int)


def fit(seed):
    model = xgboost.XGBClassifier(n_estimators=10, random_state=seed, tree_method="hist").fit(points, labels)
    return round(float((model.predict(points) == labels).mean()), 1)


if __name__ == "__main__":
    print("in this process:", fit(0), flush=True)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print("in forked ones:", *pool.map(fit, [0, 1]), flush=True)
