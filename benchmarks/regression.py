"""Regression against its peers: `python benchmarks/regression.py [rows]`, by default a million.

Each case states its right answer and fails when an engine is wrong; times are medians of interleaved runs.
Peers: scikit-learn and SciPy; River (`pip install -r benchmarks/requirements.txt`), if it is there.
"""

import os
import platform
import resource
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.util import find_spec

# First of all: it limits the threads of what is imported after it.
from harness import peak, process, python

# isort: split
import numpy as np
from scipy.linalg import lstsq
from sklearn.linear_model import Ridge, RidgeCV

import separatrix as sx

SEED, COLUMNS = 0, 100
ALPHAS = np.geomspace(1e-3, 1e6, 100)


def measure(repeats, **engines):
    """Run the engines in turn; return each one's median seconds and last result."""
    times = {name: [] for name in engines}
    results = {}
    for _ in range(repeats):
        for name, engine in engines.items():
            started = time.perf_counter()
            results[name] = engine()
            times[name].append(time.perf_counter() - started)
    return {name: float(np.median(values)) for name, values in times.items()}, results


def show(case, ours, peer, peer_name, wanted, note=""):
    print(
        f"{case:34} {ours:9.3f} s  {peer_name:22} {peer:9.3f} s  "
        f"{peer / ours:7.1f} × (wanted {wanted}) {note}",
        flush=True,
    )


def same(a, b, tolerance, case):
    error = float(np.max(np.abs(np.asarray(a) - np.asarray(b)) / np.abs(np.asarray(b))))
    if not error <= tolerance:
        raise SystemExit(f"{case}: the answers differ by {error:.2g}, more than {tolerance:.2g}")


def safe_default(X, y):
    times, models = measure(3, ours=lambda: sx.Ridge(1.0).fit(X, y), peer=lambda: Ridge(1.0).fit(X, y))
    model = models["ours"]
    same(models["peer"].coef_, model.coef_, 1e-8, "ridge")
    show(
        "ridge, safe default",
        times["ours"],
        times["peer"],
        "sklearn Ridge",
        "1",
        f"{model.digits_} digits, {model.solver_}",
    )


def needs_qr(X, y):
    times, found = measure(
        1,
        ours=lambda: sx.LeastSquares(fit_intercept=False).fit(X, y),
        peer=lambda: lstsq(X, y, lapack_driver="gelsy", check_finite=False)[0],
    )
    model = found["ours"]
    if not (model.digits_ or 0) >= 10:
        raise SystemExit(f"QR: {model.digits_} digits are certified, 10 are wanted")
    same(found["peer"], model.coef_, 1e-3, "QR")
    show(
        "QR needed (condition 2e6)",
        times["ours"],
        times["peer"],
        "LAPACK gelsy",
        "4",
        f"{model.digits_} digits, {model.solver_}",
    )


def whole_path(X, y):
    peer = RidgeCV(ALPHAS)
    times, found = measure(1, ours=lambda: sx.RidgePath(ALPHAS).fit(X, y), peer=lambda: peer.fit(X, y))
    if found["ours"].alpha_ != peer.alpha_:
        raise SystemExit(f"path: α is {found['ours'].alpha_}, RidgeCV's {peer.alpha_}")
    same(found["ours"].coef_, peer.coef_, 1e-6, "path")
    show("100 α, exact leave-one-out", times["ours"], times["peer"], "sklearn RidgeCV", "20")


_STREAM = """
import sys, time, separatrix as sx
model = sx.LeastSquares()
imported = next(line for line in open("/proc/self/status") if "VmHWM" in line).split()[1]
started = time.perf_counter()
rows = sum(X.shape[0] for X, y in sx.open(sys.argv[1]))
reading = time.perf_counter() - started
started = time.perf_counter()
model.fit_stream(sys.argv[1])
learning = time.perf_counter() - started
print(imported, reading, learning, *model.coef_)
"""


def stream(X, y):
    rows = min(len(y), 200_000)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stream.libsvm")
        with open(path, "w") as file:
            for x, target in zip(X[:rows], y[:rows], strict=True):
                file.write(f"{target:.6g} " + " ".join(f"{j + 1}:{v:.6g}" for j, v in enumerate(x)) + "\n")
        printed, memory = peak(process(python(_STREAM, path))[2])
    imported, reading, learning, *coef = map(float, printed.split())
    same(coef, sx.LeastSquares().fit(X[:rows], y[:rows]).coef_, 1e-2, "stream")
    show(
        f"stream of text, {rows} rows",
        learning,
        reading,
        "reading it alone",
        "1",
        f"{memory / 1e6:.0f} MB at most (wanted 100), {imported / 1e3:.0f} of them before it began",
    )


def online(X, y):
    rows = min(len(y), 200_000)
    times, found = measure(3, ours=lambda: sx.RecursiveRidge(1.0, bias=False).partial_fit(X[:rows], y[:rows]))
    same(
        found["ours"].coef_, sx.Ridge(1.0, fit_intercept=False).fit(X[:rows], y[:rows]).coef_, 1e-8, "online"
    )
    rate = rows / times["ours"]
    print(f"online, d = {COLUMNS}: {rate:,.0f} rounds/s (wanted 100,000)", flush=True)
    if find_spec("river") is None:
        print("River is not installed: no comparison")
        return
    from river.linear_model import BayesianLinearRegression

    few = 300
    learner = BayesianLinearRegression(alpha=1.0, beta=1.0)
    named = [dict(enumerate(map(float, x))) for x in X[:few]]
    started = time.perf_counter()
    theirs = []
    for x, target in zip(named, y[:few], strict=True):
        theirs.append(learner.predict_one(x))
        learner.learn_one(x, float(target))
    peer = (time.perf_counter() - started) / few
    ours = sx.RecursiveRidge(1.0, bias=False).play(X[:few], y[:few])
    if not np.allclose(ours, theirs, rtol=1e-6, atol=1e-6):
        raise SystemExit("online: the predictions differ from River's")
    show("online, seconds a million rounds", 1e6 / rate, 1e6 * peer, "River Bayesian", "20")


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} processors"
    threads = os.environ.get("OMP_NUM_THREADS", "all")
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    print(f"{today}, {machine}, {rows} × {COLUMNS} doubles, seed {SEED}, threads {threads}")
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(rows, COLUMNS))
    w = rng.normal(size=COLUMNS)
    y = X @ w + rng.normal(size=rows)
    safe_default(X, y)
    online(X, y)
    stream(X, y)
    whole_path(X, y)
    half = COLUMNS // 2
    X[:, half:] = X[:, :half] + 1e-6 * X[:, half:]
    needs_qr(X, X @ w + rng.normal(size=rows))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.1f} GB")


if __name__ == "__main__":
    main()
