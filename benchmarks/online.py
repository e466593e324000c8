"""Online learning against its peers: text, arrays, one row at a time, memory, start-up.

    python benchmarks/online.py [--quick] [--megabytes 450] [--only text,csr,dense,rows,start]

Every case states its right answer first and fails when an engine is wrong. SOL (LIBOL's successor)
cannot be had from a package index; it was measured beside VW on another day at 31 / 22.5 of VW's
speed, so "2.8 × SOL" is 3.9 × VW here.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rcv1_like
from harness import DATA, HERE, Time, arguments, has, must, peak, process, python, race, table, where_and_when

SOL_OVER_VW = 31 / 22.5
MB = 1e6


def twin_mistakes(X, y: NDArray, bias: bool = True) -> int:
    """The Perceptron's game in plain NumPy, a tie being a mistake."""
    w, b, mistakes = np.zeros(X.shape[1]), 0.0, 0
    indptr, indices, values = X.indptr, X.indices, X.data
    for row in range(X.shape[0]):
        where = slice(indptr[row], indptr[row + 1])
        columns, x = indices[where], values[where]
        if y[row] * (w[columns] @ x + b) <= 0:
            w[columns] += y[row] * x
            b += y[row] if bias else 0.0
            mistakes += 1
    return mistakes


COMMAND = "from separatrix.cli import main; main()"


def verdict(value: float, limit: float, least: bool = True) -> str:
    good = value >= limit if least else value <= limit
    return "met" if good else "MISSED"


def text(data: rcv1_like.Text, repeats: int) -> None:
    size, numbers = data.libsvm.stat().st_size, data.X.nnz
    expected = twin_mistakes(data.X, data.y)
    print(
        f"text: {size / MB:.0f} MB, {len(data.y):,} rows, {numbers / len(data.y):.1f} non-zeros a row;",
        end=" ",
    )
    print(f"right answer {expected:,} mistakes ({expected / len(data.y):.1%})")
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")

        def train(threads: int, portable: str):
            arguments = ["train", str(data.libsvm), "-o", model, "--threads", str(threads), "--json"]
            wall, processor, printed = process(python(COMMAND, *arguments), {"SEPARATRIX_PORTABLE": portable})
            printed, memory = peak(printed)
            told = json.loads(printed)
            must(
                told["mistakes"] == expected,
                f"separatrix, {threads} threads: {told['mistakes']} mistakes, not {expected}",
            )
            peaks.append(memory)
            return wall, processor

        peaks: list[int] = []
        engines = {
            "separatrix --threads 1": lambda: train(1, "0"),
            "separatrix --threads 2": lambda: train(2, "0"),
            "separatrix --threads 1, portable": lambda: train(1, "1"),
            "separatrix --threads 2, portable": lambda: train(2, "1"),
        }
        if has("vowpalwabbit"):

            def vw():
                printed = process([sys.executable, str(HERE / "vw_once.py"), str(data.vw)])[2]
                wall, processor = printed.split()
                return float(wall), float(processor)

            engines["VW hinge, sgd, one core"] = vw
        times = {name: Time() for name in engines}
        data.libsvm.read_bytes(), data.vw.read_bytes()  # into the page cache
        for _ in range(repeats):
            for name, run in engines.items():
                times[name].add(*run())
    from sklearn.datasets import load_svmlight_file

    times.update(
        race(
            {"scikit-learn's reader alone": lambda: load_svmlight_file(str(data.libsvm))},
            0 if size > 1e8 else 1,
        )
    )
    if not times["scikit-learn's reader alone"].wall:
        times.pop("scikit-learn's reader alone")
    rows = []
    for name, took in times.items():
        best = min(took.wall)
        rows.append(
            [
                name,
                f"{took.median:.3f}",
                f"{best:.3f}",
                f"{took.processor_median:.3f}",
                f"{size / took.median / 1e9:.2f}",
                f"{size / took.processor_median / 1e9:.2f}",
                f"{took.processor_median / numbers * 1e9:.2f}",
            ]
        )
    head = ["engine", "wall s", "best", "cpu s", "GB/s wall", "GB/s cpu", "ns/non-zero (cpu)"]
    table("libsvm text → model, one pass, the whole process", head, rows)
    one, two = times["separatrix --threads 1"], times["separatrix --threads 2"]
    plain = times["separatrix --threads 1, portable"]
    must_rows = [
        ["one core", f"{size / one.median / 1e9:.2f} GB/s", "2", verdict(size / one.median / 1e9, 2)],
        [
            "one core, portable",
            f"{size / plain.median / 1e9:.2f} GB/s",
            "1.3",
            verdict(size / plain.median / 1e9, 1.3),
        ],
        [
            "two cores over one",
            f"{one.median / two.median:.2f}",
            "1.5",
            verdict(one.median / two.median, 1.5),
        ],
    ]
    if "VW hinge, sgd, one core" in times:
        ratio = one.times_faster_than(times["VW hinge, sgd, one core"])
        must_rows.append(["× VW (cpu)", f"{ratio:.1f}", "4", verdict(ratio, 4)])
        must_rows.append(
            [
                "× SOL (cpu, through VW)",
                f"{ratio / SOL_OVER_VW:.1f}",
                "2.8",
                verdict(ratio / SOL_OVER_VW, 2.8),
            ]
        )
    table("text: what must be", ["what", "found", "must", ""], must_rows)
    bare = peak(process(python("import separatrix.cli"))[2])[1]
    most, weights = max(peaks), data.X.shape[1] * 8
    room = most - bare - weights
    memory = [
        ["largest resident size of train", f"{most / MB:.0f} MB", "", ""],
        ["Python with the command line imported", f"{bare / MB:.0f} MB", "", ""],
        [
            "the difference, less the weights",
            f"{room / MB:.0f} MB",
            "64",
            verdict(room, 64 * MB, least=False),
        ],
    ]
    table(f"memory while streaming {size / MB:.0f} MB", ["what", "found", "must", ""], memory)


def csr(data: rcv1_like.Text, repeats: int, rows: int) -> None:
    from sklearn.linear_model import SGDClassifier

    import separatrix as sx

    X64 = data.X[:rows]
    X32, y = X64.astype(np.float32), data.y[:rows]
    # Without bias: scikit-learn gives a sparse row's bias a learning rate of its own.
    ours = sx.Perceptron(bias=False)
    theirs = SGDClassifier(
        loss="perceptron", eta0=1.0, learning_rate="constant", penalty=None, fit_intercept=False,
        shuffle=False, max_iter=1, tol=None,
    )  # fmt: skip
    expected = twin_mistakes(X64, y, bias=False)
    must(ours.fit(X64, y).n_mistakes_ == expected, f"separatrix: {ours.n_mistakes_} mistakes, not {expected}")
    must(np.allclose(ours.coef_, theirs.fit(X64, y).coef_, atol=1e-9), "separatrix and scikit-learn differ")
    must(
        ours.fit(X32, y).n_mistakes_ == twin_mistakes(X32.astype(np.float64), y, bias=False),
        "float32: wrong mistakes",
    )
    times = race(
        {
            "separatrix float32": lambda: ours.fit(X32, y),
            "scikit-learn float32": lambda: theirs.fit(X32, y),
            "separatrix float64": lambda: ours.fit(X64, y),
            "scikit-learn float64": lambda: theirs.fit(X64, y),
        },
        2 * repeats,
    )
    shown = [[n, *_both(t, X64.nnz)] for n, t in times.items()]
    table(f"CSR, {len(y):,} rows, {X64.nnz:,} non-zeros, one pass (fit)", ["engine", *_BOTH], shown)
    nanoseconds = times["separatrix float32"].processor_median / X64.nnz * 1e9
    ratio32 = times["separatrix float32"].times_faster_than(times["scikit-learn float32"])
    ratio64 = times["separatrix float64"].times_faster_than(times["scikit-learn float64"])
    lines = [
        ["float32", f"{nanoseconds:.2f} ns a non-zero", "0.9", verdict(nanoseconds, 0.9, least=False)],
        ["float32 × scikit-learn", f"{ratio32:.2f}", "1.5", verdict(ratio32, 1.5)],
        ["float64 × scikit-learn", f"{ratio64:.2f}", "1.7", verdict(ratio64, 1.7)],
    ]
    table("CSR: what must be", ["what", "found", "must", ""], lines)


_BOTH = ["wall ms", "best", "cpu ms", "ns a number (cpu)"]


def _both(took: Time, numbers: int) -> list[str]:
    return [
        f"{took.median * 1e3:.2f}",
        f"{min(took.wall) * 1e3:.2f}",
        f"{took.processor_median * 1e3:.2f}",
        f"{took.processor_median / numbers * 1e9:.3f}",
    ]


def dense(repeats: int, rows: int, seed: int) -> None:
    from scipy import sparse
    from sklearn.linear_model import SGDClassifier

    import separatrix as sx

    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 100), dtype=np.float32)
    y = np.where((X @ rng.standard_normal(100, dtype=np.float32) > 0) != (rng.random(rows) < 0.05), 1.0, -1.0)
    ours = sx.Perceptron()
    theirs = SGDClassifier(
        loss="perceptron",
        eta0=1.0,
        learning_rate="constant",
        penalty=None,
        shuffle=False,
        max_iter=1,
        tol=None,
    )
    # At its best: labels as it wants them, nothing to convert.
    part = slice(0, min(rows, 50_000))
    expected = twin_mistakes(sparse.csr_matrix(X[part].astype(np.float64)), y[part])
    must(
        ours.fit(X[part], y[part]).n_mistakes_ == expected,
        f"dense: {ours.n_mistakes_} mistakes, not {expected}",
    )
    must(
        np.allclose(ours.coef_, theirs.fit(X[part].astype(np.float64), y[part]).coef_, atol=1e-6),
        "dense: coefficients differ",
    )
    times = race(
        {"separatrix": lambda: ours.fit(X, y), "scikit-learn": lambda: theirs.fit(X, y)}, 2 * repeats
    )
    table(
        f"dense float32, {rows:,} × 100, one pass (fit)",
        ["engine", *_BOTH],
        [[n, *_both(t, X.size)] for n, t in times.items()],
    )
    ratio = times["separatrix"].times_faster_than(times["scikit-learn"])
    table(
        "dense: what must be",
        ["what", "found", "must", ""],
        [["× scikit-learn", f"{ratio:.1f}", "7", verdict(ratio, 7)]],
    )


def play(learner, stream: list, truth: list, make) -> tuple[float, float]:
    """Predict and learn every row. Rows are made just before, as a stream makes them, which is not timed."""
    wall = processor = 0.0
    for start in range(0, len(stream), 50):
        rows = [
            (make(x), y) for x, y in zip(stream[start : start + 50], truth[start : start + 50], strict=True)
        ]
        began, begun = time.perf_counter(), time.process_time()
        for x, y in rows:
            learner.predict_one(x)
            learner.learn_one(x, y)
        wall, processor = wall + time.perf_counter() - began, processor + time.process_time() - begun
    return wall, processor


def one_row(data: rcv1_like.Text, repeats: int, rows: int, slow_rows: int) -> None:
    from sklearn.linear_model import SGDClassifier

    import separatrix as sx

    X, labels = data.X[:rows], data.y[:rows] > 0
    names = [f"word{column}" for column in range(X.shape[1])]
    pairs = [(X.indices[a:b], X.data[a:b]) for a, b in zip(X.indptr, X.indptr[1:], strict=False)]
    truth = labels.tolist()
    expected = twin_mistakes(X, np.where(labels, 1.0, -1.0))

    def pair(row):
        return row[0].copy(), row[1].copy()

    def known(row):
        return {names[j]: v for j, v in zip(row[0].tolist(), row[1].tolist(), strict=True)}

    def fresh(row):
        return {f"word{j}": v for j, v in zip(row[0].tolist(), row[1].tolist(), strict=True)}

    engines = {
        "separatrix, dicts": (sx.Perceptron, known),
        "separatrix, dicts of new strings": (sx.Perceptron, fresh),
        "separatrix, pairs": (sx.Perceptron, pair),
    }
    if has("river"):
        from river import linear_model

        engines["River, dicts"] = (linear_model.Perceptron, known)
        engines["River, dicts of new strings"] = (linear_model.Perceptron, fresh)
    times, learnt = {name: Time() for name in engines}, {}
    for _ in range(repeats):
        for name, (kind, make) in engines.items():
            learnt[name] = kind()
            times[name].add(*play(learnt[name], pairs, truth, make))
    for name in engines:
        if name.startswith("separatrix"):
            must(
                learnt[name].n_mistakes_ == expected,
                f"{name}: {learnt[name].n_mistakes_} mistakes, not {expected}",
            )
    if has("river"):
        weights = learnt["River, dicts"].weights
        numbered = learnt["separatrix, pairs"].coef_[0]
        gap = max(
            abs(weights[name] - numbered[j])
            for j, name in enumerate(names[: len(numbered)])
            if name in weights
        )
        must(gap < 1e-9, f"River's weights and Separatrix's differ by {gap}")

    def scikit() -> None:
        learner = SGDClassifier(
            loss="perceptron", eta0=1.0, learning_rate="constant", penalty=None, fit_intercept=False
        )
        learner.partial_fit(X[0], labels[:1], classes=[False, True])
        for row in range(1, slow_rows):
            x = X[row]
            learner.predict(x)
            learner.partial_fit(x, labels[row : row + 1])

    times.update(race({"scikit-learn, predict + partial_fit": scikit}, max(1, repeats // 2)))
    count = {name: slow_rows if name.startswith("scikit") else rows for name in times}
    per = {name: t.processor_median / count[name] for name, t in times.items()}
    shown = [
        [n, f"{1 / per[n]:,.0f}", f"{per[n] * 1e6:.2f}", f"{t.median / count[n] * 1e6:.2f}"]
        for n, t in times.items()
    ]
    table(
        f"predict + learn one row at a time, {X.nnz / rows:.0f} non-zeros, {rows:,} rows",
        ["engine", "rows/s (cpu)", "µs a row (cpu)", "µs (wall)"],
        shown,
    )
    lines = []
    if has("river"):
        ratio = per["River, dicts"] / per["separatrix, dicts"]
        lines.append(["dicts × River", f"{ratio:.1f}", "8", verdict(ratio, 8)])
        ratio = per["River, dicts of new strings"] / per["separatrix, dicts of new strings"]
        lines.append(["dicts of new strings × River", f"{ratio:.1f}", "", ""])
    ratio = per["scikit-learn, predict + partial_fit"] / per["separatrix, pairs"]
    lines.append(["pairs × scikit-learn", f"{ratio:.0f}", "300", verdict(ratio, 300)])
    table("one row at a time: what must be", ["what", "found", "must", ""], lines)


def start(repeats: int) -> None:
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import separatrix": [sys.executable, "-c", "import separatrix"],
        "separatrix --version": [sys.executable, "-c", COMMAND, "--version"],
    }
    times = {name: Time() for name in commands}
    for _ in range(3 * repeats):
        for name, command in commands.items():
            times[name].add(*process(command)[:2])
    shown = [
        [n, f"{t.median:.3f}", f"{min(t.wall):.3f}", f"{t.processor_median:.3f}"] for n, t in times.items()
    ]
    table("start-up, seconds", ["what", "wall", "best", "cpu"], shown)
    beyond = times["import separatrix"].median - times["python -c pass"].median
    version = times["separatrix --version"].median
    lines = [
        ["separatrix --version", f"{version:.3f} s", "0.12", verdict(version, 0.12, least=False)],
        ["import, beyond Python", f"{beyond:.3f} s", "0.10", verdict(beyond, 0.10, least=False)],
    ]
    table("start-up: what must be", ["what", "found", "must", ""], lines)


def main() -> None:
    options = arguments(
        "Online learning against its peers.",
        megabytes={"type": int, "default": 450, "help": "size of the text (default 450)"},
        only={"default": "text,csr,dense,rows,start", "help": "parts to run, with commas between"},
    )
    megabytes, repeats, seed = (20 if options.quick else options.megabytes), options.repeats, options.seed
    parts = options.only.split(",")
    print(f"online: {where_and_when(seed)}")
    if any(part in ("text", "csr", "rows") for part in parts):
        data = rcv1_like.make(Path(DATA), megabytes, seed)
    if "text" in parts:
        text(data, repeats)
    if "csr" in parts:
        csr(data, repeats, 5_000 if options.quick else 100_000)
    if "dense" in parts:
        dense(repeats, 20_000 if options.quick else 1_000_000, seed)
    if "rows" in parts:
        one_row(data, repeats, *((1_000, 100) if options.quick else (10_000, 1_000)))
    if "start" in parts:
        start(repeats)


if __name__ == "__main__":
    main()
