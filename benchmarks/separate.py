"""The largest margin, and conflicts: Separatrix against HiGHS, SVC, LinearSVC and ten lines of NumPy.

Each case states its right answer: the margin of our proved enclosure, which the NumPy sketch and SVC reach
independently on the easy cases, or that there is none. An engine whose margin is short of it by more than
1e-6 is shown with how short it is, and is no competitor; an engine that claims a margin above it is an error.

    python benchmarks/separate.py [--quick]
"""

import argparse
import platform
import resource
import statistics
import sys
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from harness import within

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

SEED = 20


def planted(n, d, margin, flips=0):
    """Gaussian rows moved along a random direction, so that the best margin is near `margin`."""
    random = np.random.default_rng(SEED)
    u = random.normal(size=d)
    u /= np.linalg.norm(u)
    X = random.normal(size=(n, d))
    t = X @ u
    y = np.sign(t)
    X += np.outer(y * margin * (1 + np.abs(t)) - t, u)
    if flips:
        # First one far from the hyperplane: where only a near one is flipped, the rows may stay separable.
        y[np.argmax(np.abs(t))] *= -1
        y[random.choice(n, flips - 1, replace=False)] *= -1
    return X, y


def separatrix(X, y):
    import separatrix as sx

    found = sx.separate(X, y)
    if found.verified != "exact":
        raise AssertionError("not proved")
    return found.margin or 0.0


def margin_of(X, y, w):
    return float(np.min(y * (np.column_stack([X, np.ones(len(X))]) @ w)) / np.linalg.norm(w))


def svc(X, y):
    from sklearn.svm import SVC

    fitted = SVC(kernel="linear", C=1e6, tol=1e-6).fit(np.column_stack([X, np.ones(len(X))]), y)
    return margin_of(X, y, fitted.coef_[0])


def linear_svc(X, y):
    from sklearn.svm import LinearSVC

    fitted = LinearSVC(C=1e6, loss="hinge", max_iter=20_000, tol=1e-8, fit_intercept=False)
    fitted.fit(np.column_stack([X, np.ones(len(X))]), y)
    return margin_of(X, y, fitted.coef_[0])


def highs(X, y):
    """Interior point on max t: y w·x >= t, |w_j| <= 1. Its w has not the best Euclidean margin."""
    from scipy.optimize import linprog

    Z = np.column_stack([X, np.ones(len(X))]) * y[:, None]
    n, d = Z.shape
    found = linprog(
        np.append(np.zeros(d), -1.0),
        A_ub=np.column_stack([-Z, np.ones(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1, 1)] * d + [(0, None)],
        method="highs-ipm",
    )
    return margin_of(X, y, found.x[:-1]) if -found.fun > 1e-9 else 0.0


def numpy_sketch(X, y):
    from oracles.minimum_norm_point import minimum_norm_point

    p, _ = minimum_norm_point(np.column_stack([X, np.ones(len(X))]) * y[:, None])
    size = float(np.linalg.norm(p))
    return size if size > 1e-9 else 0.0


def measure(engine, X, y, times):
    spent, margin = [], 0.0
    for _ in range(times):
        start = time.perf_counter()
        margin = engine(X, y)
        spent.append(time.perf_counter() - start)
    return statistics.median(spent), margin


CASES = [
    *((f"n=20k d=100, margin {g:g}", (20_000, 100, g, 0), True, [numpy_sketch, highs, svc, linear_svc])
      for g in (1e-1, 1e-3, 1e-5)),
    ("n=2k d=500, margin 0.1", (2_000, 500, 0.1, 0), True, [numpy_sketch, svc]),
    ("n=20k d=100, 1 flipped", (20_000, 100, 0.1, 1), False, [highs]),
    ("n=20k d=100, 4% flipped", (20_000, 100, 0.1, 800), False, [highs]),
]  # fmt: skip


def text():
    """Yes or no on sparse text, and the largest memory; in a process of its own for each."""
    for noise in (0.0, 0.001, 0.05):
        answer, verified, seconds, megabytes = within(600, decide_text, noise)
        print(f"{f'text 60k × 50k, noise {noise:g}':28} separatrix    {seconds * 1e3:9.1f} ms   ", end="")
        print(f"{answer}, {verified}; largest memory {megabytes} MB")


def decide_text(noise):
    import separatrix as sx

    X, y = sx.generate("text", rows=60_000, columns=50_000, noise=noise, seed=1)
    start = time.perf_counter()
    found = sx.separate(X, y, only_decide=True)
    seconds = time.perf_counter() - start
    return found.answer, found.verified, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only the peers that take seconds")
    parser.add_argument("--limit", type=int, default=60, help="seconds a peer may take (default 60)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{platform.processor() or platform.machine()}, seed {SEED}, {datetime.now(UTC):%Y-%m-%d}, medians")
    wrong = 0
    for name, parameters, separable, peers in CASES:
        X, y = planted(*parameters)
        ours, margin = measure(separatrix, X, y, 5)
        wrong += (margin > 0) != separable
        answer = f"margin {margin:.9g}" if margin else "conflict"
        print(f"{name:28} separatrix    {ours * 1e3:9.1f} ms   {answer}")
        for peer in peers:
            if options.quick and peer in (svc, linear_svc):
                continue
            answer = within(options.limit, measure, peer, X, y, 1)
            if answer is None:
                print(f"{'':28} {peer.__name__:13} no answer within {options.limit} s")
                continue
            spent, reached = answer
            short = (margin - reached) / margin if margin else 0.0
            verdict = "agrees" if abs(short) < 1e-6 else f"short by {short:.1e}"
            if short < -1e-6 or (not separable and reached > 0):
                verdict, wrong = "WRONG", wrong + 1
            print(f"{'':28} {peer.__name__:13} {spent * 1e3:9.1f} ms   {spent / ours:8.1f} x   {verdict}")
    text()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
