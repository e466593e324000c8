"""Reading libsvm text: against scikit-learn on good files, against a naive twin on any."""

import doctest
import gzip
import io
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array
from sklearn.datasets import dump_svmlight_file, load_svmlight_file, load_svmlight_files

import separatrix as sx
from oracles import libsvm
from separatrix.errors import InputError, UsageError

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"


def same_bits(a, b):
    return np.array_equal(np.asarray(a).view(np.int64), np.asarray(b).view(np.int64))


def assert_same(X, y, right_X, right_y):
    assert X.shape == right_X.shape
    assert X.dtype == y.dtype == np.float64
    assert np.array_equal(X.indptr, right_X.indptr)
    assert np.array_equal(X.indices, right_X.indices)
    assert same_bits(X.data, right_X.data)
    assert same_bits(y, right_y)


def some_data(rows=300, columns=50, seed=0):
    random = np.random.default_rng(seed)
    X = csr_matrix(random_array((rows, columns), density=0.2, rng=random, format="csr"))
    X.data = np.round(X.data - 0.5, random.integers(1, 17))
    return X, random.choice([-1.0, 1.0], rows)


def dumped(path, X, y, **options):
    dump_svmlight_file(X, y, str(path), **options)
    if str(path).endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    return path


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.libsvm*")), ids=lambda path: path.name)
def test_real_data_reads_as_scikit_learn_reads_it(path):
    assert_same(*sx.read(path), *load_svmlight_file(str(path)))


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("name", ["plain", "packed.gz"])
@pytest.mark.parametrize("seed", range(3))
def test_dumped_data_reads_as_scikit_learn_reads_it(tmp_path, seed, name, zero_based):
    path = dumped(tmp_path / name, *some_data(seed=seed), zero_based=zero_based)
    right = load_svmlight_file(str(path))
    assert_same(*sx.read(path), *right)
    assert_same(*sx.read(str(path), threads=3), *right)
    with path.open("rb") as file:
        assert_same(*sx.read(file), *right)
    assert_same(*sx.read(path, n_features=60), *load_svmlight_file(str(path), n_features=60))
    base = 0 if zero_based else 1
    assert_same(*sx.read(path, index_base=base), *load_svmlight_file(str(path), zero_based=zero_based))


def test_several_files_are_stacked(tmp_path):
    paths = [dumped(tmp_path / name, *some_data(seed=i)) for i, name in enumerate(["one", "two.gz"])]
    X, y = sx.read(paths)
    one_X, one_y, two_X, two_y = load_svmlight_files([str(path) for path in paths])
    assert np.array_equal(X.toarray(), np.vstack([one_X.toarray(), two_X.toarray()]))
    assert np.array_equal(y, np.concatenate([one_y, two_y]))


def test_query_ids():
    text = b"1 qid:7 1:1\n-1 qid:-8 2:1\n"
    X, y, qid = sx.read(io.BytesIO(text), query_id=True)
    assert (X.shape, y.tolist(), qid.tolist(), qid.dtype) == ((2, 2), [1, -1], [7, -8], np.int64)
    assert len(sx.read(io.BytesIO(text))) == 2
    with pytest.raises(InputError, match=r"row 1 .* has none"):
        sx.read(io.BytesIO(b"1 qid:7 1:1\n-1 2:1\n"), query_id=True)


def test_nothing_and_labels_alone():
    X, y = sx.read(io.BytesIO(b""))
    assert (X.shape, y.shape) == ((0, 0), (0,))
    X, y = sx.read(io.BytesIO(b"1\n# nothing\n\n-1"))
    assert (X.shape, y.tolist()) == ((2, 0), [1, -1])


# One text, many rows: the bits that each entrance gives must be the twin's.

number = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(allow_nan=False, allow_infinity=False, places=5).map(str),
    st.integers(-1000, 1000).map(str),
    st.from_regex(rb"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{1,3})?", fullmatch=True).map(bytes.decode),
    st.sampled_from(["nan", "inf", "1_0", "0x1", "1e400", "1e-400", ".5", "5.", ".", "1e", "4.9e-324", "-0"]),
)
pair = st.tuples(st.integers(0, 60), number).map(lambda p: f"{p[0]}:{p[1]}")
odd = st.sampled_from(["", "x", "1:", "qid:3", "#", ":1", "5", "1:2:3", "\t", "3: 4", "\r"])
line = st.tuples(
    st.sampled_from(["1", "-1", "+1", "0.5", ""]),
    st.lists(st.one_of(*[pair] * 8, odd), max_size=6),
    st.sampled_from(["", "", "", " ", "\r", "# c"]),
).map(lambda parts: " ".join([parts[0], *parts[1]]) + parts[2])
text = st.lists(line, max_size=8).map("\n".join).map(str.encode)


@settings(max_examples=300, deadline=None)
@given(text)
def test_any_text_reads_as_the_twin_reads_it(text):
    try:
        right = libsvm.rows(text)
    except libsvm.BadRowError as bad:
        with pytest.raises(InputError, match=rf"^<file>:{bad.args[0]}:\d+: expected .*, found "):
            sx.read(io.BytesIO(text), index_base=0)
        return
    X, y = sx.read(io.BytesIO(text), index_base=0)
    assert same_bits(y, [label for label, _ in right] or np.empty(0))
    assert np.array_equal(X.indptr, np.cumsum([0, *(len(pairs) for _, pairs in right)]))
    assert X.indices.tolist() == [index for _, pairs in right for index, _ in pairs]
    assert same_bits(X.data, [value for _, pairs in right for _, value in pairs] or np.empty(0))
    assert X.has_canonical_format
    smallest = min((index for _, pairs in right for index, _ in pairs), default=0)
    auto, _ = sx.read(io.BytesIO(text))
    assert np.array_equal(auto.indices, X.indices - (smallest > 0))


@settings(max_examples=300, deadline=None)
@given(st.one_of(number, st.text(alphabet="0123456789.eE+-", max_size=30)))
def test_numbers_read_as_float_reads_them(word):
    try:
        right = libsvm.number(word.encode())
    except ValueError:
        with pytest.raises(InputError):
            sx.read(io.BytesIO(f"1 1:{word}\n".encode()))
        return
    X, _ = sx.read(io.BytesIO(f"1 1:{word}\n".encode()))
    assert same_bits(X.data, [right])


@pytest.mark.parametrize(
    "word",
    [
        "1e-200", "3.14159265358979", "5e-324", "2.4703282292062328e-324", "2.2250738585072011e-308",
        "9007199254740993", "9007199254740992.99999999999999999999", "1.7976931348623157e308",
        "0.1000000000000000055511151231257827021181583404541015625", "123456789012345678901234567890",
        "1.00000000000000011102230246251565404236316680908203125", "-0", "-0.0", "1e-999999999999",
        "8.988465674311580e307", "0." + "0" * 400 + "1e400",
    ],
)  # fmt: skip
def test_hard_numbers(word):
    X, y = sx.read(io.BytesIO(f"{word} 1:{word} 2:{word}\n".encode()))
    assert same_bits(X.data, [float(word)] * 2)
    assert same_bits(y, [float(word)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"1 1:1\n-1 2:x 3:1\n", '2:6: expected a finite number as the value, found "x"'),
        (b"one 1:1\n", '1:1: expected a finite number as the label, found "one"'),
        (b"1 1:nan\n", '1:5: expected a finite number as the value, found "nan"'),
        (b"1 1:-inf\n", '1:5: expected a finite number as the value, found "-inf"'),
        (b"1 1:1e999\n", '1:5: expected a value within the range of a double, found "1e999"'),
        (b"1 2:1 1:1 2:3\n", '1:11: expected each index once in a row, found "2:3"'),
        (b"1 5\n", '1:3: expected index:value, found "5"'),
        (b"1 -5:1\n", '1:3: expected an index of digits only before the colon, found "-5:1"'),
        (b"1 5: \n", "1:6: expected a finite number as the value, found the end of the line"),
        (b"1 4294967296:1\n", '1:3: expected an index of at most 4294967295, found "4294967296:1"'),
        (b"1 1:1 qid:3\n", '1:7: expected qid: right after the label, once, found "qid:3"'),
        (b"1 qid:x 1:1\n", '1:3: expected qid: and a whole number, found "qid:x"'),
        (b"# a\r\n\r\n1 1:1\r2\r\n", '3:5: expected a finite number as the value, found "1\\r2"'),
    ],
)
def test_bad_rows_are_located_and_explained(text, message):
    with pytest.raises(InputError) as raised:
        sx.read(io.BytesIO(text))
    assert str(raised.value) == f"<file>:{message}"
    with pytest.raises(ValueError, match=r"^<file>:"):
        list(sx.open(io.BytesIO(text)))


def test_bad_rows_left_out_are_counted_and_kept(tmp_path):
    text = b"1 1:1\nx 1:1\r\n-1 2:1\n1 1:1 1:2 # twice\n"
    with pytest.warns(sx.BadRowsWarning, match=r"^2 rows were left out:\n  <file>:2:1: .*\n  <file>:4:7: "):
        X, y = sx.read(io.BytesIO(text), bad_rows="skip")
    assert (X.shape, y.tolist()) == ((2, 2), [1, -1])
    refused = tmp_path / "refused"
    stream = sx.open(io.BytesIO(text), bad_rows=f"quarantine={refused}")
    with pytest.warns(sx.BadRowsWarning, match="2 rows"):
        assert sum(len(y) for _, y in stream) == 2
    assert (stream.rows, stream.rows_refused, len(stream.first_bad)) == (2, 2, 2)
    assert refused.read_bytes() == b"x 1:1\r\n1 1:1 1:2 # twice\n"


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        sx.read(tmp_path / "nowhere")
    with pytest.raises(IsADirectoryError):
        sx.open(tmp_path)
    packed = gzip.compress(b"1 1:1\n" * 10_000)
    for damaged in [packed[:-10], packed[:40] + b"\xff\xff" + packed[42:], packed + b"rubbish"]:
        (tmp_path / "damaged.gz").write_bytes(damaged)
        with pytest.raises(InputError, match=r"damaged\.gz: expected whole gzip data"):
            sx.read(tmp_path / "damaged.gz")
    (tmp_path / "good").write_bytes(b"1 1:1\n")
    with pytest.raises(UsageError, match="being read"):
        sx.read(tmp_path / "good", bad_rows=f"quarantine={tmp_path}/../{tmp_path.name}/good")
    assert (tmp_path / "good").read_bytes() == b"1 1:1\n"


def test_what_a_file_object_raises_comes_through():
    class Torn(io.RawIOBase):
        def read(self, size=-1):
            raise ZeroDivisionError("torn")

    with pytest.raises(ZeroDivisionError, match="torn"):
        sx.read(Torn())
    with pytest.raises(TypeError, match="binary mode"):
        sx.read(io.StringIO("1 1:1\n"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"index_base": 2}, 'index_base must be "auto", 0 or 1, but is 2'),
        ({"bad_rows": "ignore"}, 'bad_rows must be "fail", "skip" or "quarantine=FILE", but is \'ignore\''),
        ({"bad_rows": "quarantine="}, "bad_rows must be"),
        ({"threads": 0}, "threads must be from 1 to 1024, but is 0"),
        ({"n_features": 0}, "n_features must be at least 1, but is 0"),
        ({"max_line_bytes": 0}, "max_line_bytes must be from 1 to 1099511627776, but is 0"),
    ],
)
def test_parameters_that_break_their_rule(options, message):
    with pytest.raises(UsageError) as raised:
        sx.read(io.BytesIO(b"1 1:1\n"), **options)
    assert message in str(raised.value)


def test_too_few_features_and_too_long_lines():
    with pytest.raises(InputError, match="n_features must be at least 3"):
        sx.read(io.BytesIO(b"1 3:1\n"), n_features=2)
    with pytest.raises(InputError, match="n_features must be at least 3"):
        list(sx.open(io.BytesIO(b"1 3:1\n"), n_features=2))
    with pytest.raises(InputError, match=r"<file>:2: expected a line of at most 5 bytes.*--max-line-bytes"):
        sx.read(io.BytesIO(b"1 1:1\n1 1:22\n"), max_line_bytes=5)


def test_a_stream_is_the_whole_in_pieces(tmp_path):
    path = dumped(tmp_path / "data", *some_data(rows=6000), zero_based=False)
    assert path.stat().st_size > 3 * (256 << 10)
    X, y = sx.read(path)
    stream = sx.open(path, n_features=X.shape[1])
    batches = list(stream)
    assert len(batches) > 3
    assert sum((abs(whole - part).nnz) for whole, part in zip([X], [_stack(batches)], strict=True)) == 0
    assert np.array_equal(np.concatenate([labels for _, labels in batches]), y)
    assert (stream.rows, stream.rows_refused, stream.index_base) == (6000, 0, 1)


def _stack(batches):
    from scipy.sparse import vstack

    return vstack([X for X, _ in batches], format="csr")


def test_a_late_zero_stops_a_stream_but_not_a_whole_read():
    text = b"1 1:1\n" * 60_000 + b"1 0:1\n"
    with pytest.raises(InputError, match=r"<file>:60001:3: expected indices from 1.*index_base=0"):
        list(sx.open(io.BytesIO(text)))
    assert sx.read(io.BytesIO(text))[0].shape == (60_001, 2)
    assert sum(X.nnz for X, _ in sx.open(io.BytesIO(text), index_base=0)) == 60_001


def _script(code, **options):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        **options,
    )


def test_standard_input():
    with _script("import separatrix as sx; X, y = sx.read('-'); print(X.shape, y)") as process:
        out, _ = process.communicate(b"1 2:1\n-1 1:1")
    assert out == b"(2, 2) [ 1. -1.]\n"


@pytest.mark.parametrize("call", ["sx.read('-', threads=1)", "sx.read('-', threads=2)", "list(sx.open('-'))"])
def test_control_c_ends_the_wait_for_a_silent_pipe(call):
    code = f"""
        import separatrix as sx, sys, scipy.sparse
        print("ready", flush=True)
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted")
    """
    with _script(code) as process:
        process.stdin.write(b"1 1:1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == b"interrupted\n"
        assert process.wait(timeout=10) == 0


def test_a_stream_needs_little_memory_and_several_threads_give_the_same(tmp_path):
    path = dumped(tmp_path / "data", *some_data(rows=8000), zero_based=False)
    code = f"""
        import resource, separatrix as sx
        from scipy.sparse import csr_matrix
        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for X, y in sx.open({str(path)!r}): pass
        before = peak()
        rows = sum(len(y) for X, y in sx.open([{str(path)!r}] * 100))
        print(rows, peak() - before)
    """
    assert path.stat().st_size * 100 > 64 << 20
    with _script(code) as process:
        rows, grown = map(int, process.stdout.read().split())
    assert rows == 100 * 8000
    assert grown < 16 << 10  # KiB
    one, several = sx.read([path] * 5, threads=1), sx.read([path] * 5, threads=4)
    assert_same(*several, *one)


def test_portable_code_gives_the_same_bits(tmp_path):
    path = dumped(tmp_path / "data", *some_data(), zero_based=False)
    code = f"""
        import hashlib, separatrix as sx
        X, y = sx.read({str(path)!r})
        print(hashlib.sha256(X.data.tobytes() + X.indices.tobytes() + y.tobytes()).hexdigest())
    """
    digests = set()
    for portable in ["0", "1"]:
        with _script(code, env={**os.environ, "SEPARATRIX_PORTABLE": portable}) as process:
            digests.add(process.stdout.read())
    assert len(digests) == 1


def test_a_good_read_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sx.read(io.BytesIO(b"1 1:1\n"), bad_rows="skip")


def test_the_documentation_is_true():
    page = Path(__file__).parents[2] / "docs" / "reading.md"
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted >= 10
    assert outcome.failed == 0
