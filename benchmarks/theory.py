"""Tightness of T4b's certified bound on real sets, and the speed of verifying a certificate.

`python benchmarks/theory.py [FILE…]`; the files default to those of examples/data. Right answers: every
certificate is proved; no run exceeds its bound; a forged certificate is refuted.
"""

import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import separatrix as sx
from separatrix.theory import verify as checker

SEED = 1


def tightness(paths: list[Path]) -> None:
    print(
        f"{'set':<24}{'rows':>8}{'file':>8}{'shuffled':>10}{'T4b':>8}{'ratio':>8}{'shuffled':>10}{'seconds':>9}"
    )
    for path in paths:
        X, y = sx.read(path)
        if len(np.unique(y)) != 2:
            continue
        began = time.perf_counter()
        found = sx.comparator(X, y, bias=True)
        seconds = time.perf_counter() - began
        proof = found.certificate(X, y, replay="mistake")
        assert proof.verify(X, y).proved
        runs = [sx.Perceptron(order="shuffle", seed=s).fit(X, y).n_mistakes_ for s in range(5)]
        assert proof.observed == sx.Perceptron().fit(X, y).n_mistakes_
        assert max(*runs, proof.observed) <= proof.bound
        middle = statistics.median(runs)
        print(
            f"{path.name.split('.')[0]:<24}{X.shape[0]:>8,}{proof.observed:>8,}{middle:>10,.0f}{proof.bound:>8,}"
            f"{proof.bound / proof.observed:>8.2f}{proof.bound / middle:>10.2f}{seconds:>9.2f}"
        )


def verifying(rows: int) -> None:
    X, y = sx.generate("text", rows=rows, columns=47236, noise=0.05, seed=SEED)
    u = sx.vector(np.round(sx.Perceptron().fit(X, y).coef_[0] / 50.0, 6))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.libsvm"
        with path.open("wb") as file:
            size = sx.write_libsvm(file, X, y)
        cases = {"T4b": {"u": u}, "T4b, replayed": {"u": u, "replay": "mistake"}}
        proofs = {name: sx.Certificate.make("T4b", w, X, y, bias=True).to_dict() for name, w in cases.items()}
        forged = {**proofs["T4b"], "bound": proofs["T4b"]["bound"] - 1}
        forged["seal"] = checker.seal(forged)
        assert not checker.verify(forged, lambda: iter(sx.open(path))).proved

        def reads() -> None:
            assert sum(len(labels) for _, labels in sx.open(path)) == rows

        def checks(proof: dict[str, Any]) -> Callable[[], None]:
            def check() -> None:
                assert checker.verify(proof, lambda: iter(sx.open(path))).proved

            return check

        jobs = {"read": reads, **{name: checks(proof) for name, proof in proofs.items()}}
        times: dict[str, list[float]] = {name: [] for name in jobs}
        for _ in range(5):
            for name, job in jobs.items():
                began = time.perf_counter()
                job()
                times[name].append(time.perf_counter() - began)
    base = statistics.median(times["read"])
    print(f"\n{rows:,} rows, {X.nnz:,} entries, {size / 1e6:.0f} MB of text")
    for name, values in times.items():
        middle = statistics.median(values)
        print(f"{name:<16}{middle:>8.3f} s{size / middle / 1e9:>8.2f} GB/s{middle / base:>8.2f} × read")


if __name__ == "__main__":
    print(f"{platform.machine()}, Python {platform.python_version()}, seed {SEED}, {date.today()}\n")
    here = Path(__file__).parents[1] / "examples" / "data"
    given = [Path(a) for a in sys.argv[1:]]
    tightness(given or sorted([*here.glob("*.libsvm"), *here.glob("*.libsvm.gz")]))
    verifying(100_000)
