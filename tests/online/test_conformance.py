"""One suite that every online learner must pass: the entrances agree to the bit."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import separatrix as sx

from .learners import LEARNERS, grid, is_winnow, state

every_learner = pytest.mark.parametrize("name", LEARNERS)
seeds = st.integers(0, 2**32 - 1)
# Each example plays some twenty games, and there are fifteen learners.
few = settings(max_examples=max(4, settings.default.max_examples // 6))


def data(name, seed, *, classes=2, n=40, d=11, floats=False):
    rng = np.random.default_rng(seed)
    X, codes = grid(rng, n, d, classes, binary=is_winnow(LEARNERS[name]()))
    if floats:
        X = X * rng.random(X.shape)
    codes[:classes] = rng.permutation(classes)
    return X, codes


def text(X, y):
    """Every number as the shortest decimal that reads back as itself."""
    lines = []
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        pairs = "".join(f" {j}:{value!r}" for j, value in enumerate(x, 1) if value)
        lines.append(f"{label}{pairs}\n")
    return "".join(lines).encode()


def many_bits(learner, X):
    return state(learner), learner.decision_function(X).tobytes()


@every_learner
@pytest.mark.parametrize("classes", [2, 3])
@few
@given(seed=seeds, floats=st.booleans())
def test_every_entrance_learns_the_same_to_the_bit(name, classes, seed, floats, tmp_path_factory):
    X, y = data(name, seed, classes=classes, floats=floats)
    make = LEARNERS[name]
    csr = sparse.csr_matrix(X)
    wanted = many_bits(make().fit(X, y), X)

    long = sparse.csr_matrix((csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)), csr.shape)
    for same in (csr, long, np.asfortranarray(X), sparse.csc_matrix(X), sparse.coo_array(X)):
        assert many_bits(make().fit(same, y), X) == wanted

    # In pieces, with classes declared.
    pieces = make(n_features=X.shape[1])
    for at in range(0, len(y), 7):
        pieces.partial_fit(X[at : at + 7], y[at : at + 7], classes=np.arange(classes))
    assert state(pieces) == wanted[0]

    # One row at a time, in each form of a row; two classes are learnt as they come.
    if classes == 2:
        for form in (dense_row, pair_row, shuffled_pair_row, numbered_dict_row):
            single = make(n_features=X.shape[1])
            for x, label in zip(X, y, strict=True):
                single.learn_one(form(x), label)
            assert state(single) == wanted[0], form

    # From text, for any number of threads.
    path = tmp_path_factory.mktemp("text") / "data.libsvm"
    path.write_bytes(text(X, y))
    for threads in (1, 2, 3):
        streamed = make(n_features=X.shape[1]).fit_stream(path, threads=threads)
        assert many_bits(streamed, X) == wanted


@every_learner
def test_a_stream_of_batches_that_grow_is_the_file(name, tmp_path):
    X, y = data(name, 8, n=60, d=12)
    X = np.triu(X, -12)  # later columns come in later rows
    X[::2] = np.tril(X[::2])
    path = tmp_path / "data.libsvm"
    path.write_bytes(text(X, y))
    pieces = [(sparse.csr_matrix(X[at : at + 9]), y[at : at + 9]) for at in range(0, 60, 9)]
    whole = LEARNERS[name](n_features=12).fit_stream(path, index_base=1)
    grown = LEARNERS[name](n_features=12).fit_stream(pieces)
    assert state(grown) == state(whole)
    assert (grown.run_.passes, grown.n_passes_, grown.n_features_in_) == (1, 1, 12)
    assert state(LEARNERS[name](n_features=12).fit_stream(sx.open(path, index_base=1))) == state(whole)

    narrow_first = [(X[:9, :4], y[:9]), (X[9:], y[9:])]
    again = LEARNERS[name]().fit(X[:, :3], y)
    if None in (again._learner.about()["asked"]["parameters"].get(k, 0) for k in ("p", "threshold")):
        with pytest.raises(sx.UsageError, match="declare n_features"):
            again.fit_stream(narrow_first)
        return
    apart = LEARNERS[name](n_features=12).partial_fit(np.pad(X[:9, :4], ((0, 0), (0, 8))), y[:9])
    assert state(again.fit_stream(narrow_first)) == state(apart.partial_fit(X[9:], y[9:]))


def dense_row(x):
    return x


def pair_row(x):
    at = np.flatnonzero(x)
    return at, x[at]


def shuffled_pair_row(x):
    at = np.flatnonzero(x)[::-1].astype(np.int32)
    return at, x[at]


def numbered_dict_row(x):
    return {int(j): float(x[j]) for j in np.flatnonzero(x)[::-1]}


@every_learner
@few
@given(seed=seeds)
def test_float32_is_the_same_numbers(name, seed):
    X, y = data(name, seed, floats=True)
    X32 = X.astype(np.float32)
    a = LEARNERS[name]().fit(X32, y)
    b = LEARNERS[name]().fit(X32.astype(np.float64), y)
    c = LEARNERS[name]().fit(sparse.csr_matrix(X32), y)
    assert state(a) == state(b) == state(c)


@every_learner
@pytest.mark.parametrize("classes", [2, 3])
@few
@given(seed=seeds, cut=st.integers(1, 39))
def test_saved_and_resumed_is_never_having_stopped(name, classes, seed, cut, tmp_path_factory):
    X, y = data(name, seed, classes=classes)
    make = lambda: LEARNERS[name](n_features=X.shape[1])  # noqa: E731
    declared = {"classes": np.arange(classes)} if classes > 2 else {}
    whole = make().partial_fit(X[:cut], y[:cut], **declared).partial_fit(X[cut:], y[cut:])
    path = tmp_path_factory.mktemp("model") / "half.sx"
    make().partial_fit(X[:cut], y[:cut], **declared).save(path)
    resumed = sx.load(path)
    assert type(resumed) is type(whole)
    rules = {"n_features": None}
    assert {**resumed.get_params(), **rules} == {**whole.get_params(), **rules}
    resumed.partial_fit(X[cut:], y[cut:])
    assert many_bits(resumed, X) == many_bits(whole, X)

    pickled = pickle.loads(pickle.dumps(make().partial_fit(X[:cut], y[:cut], **declared)))
    assert many_bits(pickled.partial_fit(X[cut:], y[cut:]), X) == many_bits(whole, X)

    if classes == 2:
        first, second = path.with_name("a"), path.with_name("b")
        first.write_bytes(text(X[:cut], y[:cut])), second.write_bytes(text(X[cut:], y[cut:]))
        together = make().fit_stream([first, second], index_base=1)
        apart = make().fit_stream(first, index_base=1).fit_stream(second, resume=True, index_base=1)
        assert state(together) == state(apart) == state(whole)


@every_learner
@few
@given(seed=seeds)
def test_passes_over_a_file_are_passes_over_an_array(name, seed, tmp_path_factory):
    X, y = data(name, seed)
    path = tmp_path_factory.mktemp("text") / "data.libsvm"
    path.write_bytes(text(X, y))
    for options in (
        {"passes": 4},
        {"passes": "until-clean", "max_passes": 6},
        {"passes": 3, "order": "shuffle", "seed": 5},
        {"passes": 3, "order": "misclassified"},
    ):
        a = LEARNERS[name](n_features=X.shape[1], **options).fit(X, y)
        b = LEARNERS[name](n_features=X.shape[1], **options).fit_stream(path)
        assert state(a) == state(b)
        assert (a.n_passes_, a.clean_) == (b.n_passes_, b.clean_)


@every_learner
def test_a_file_that_is_read_again_for_each_pass_is_learnt_the_same(name, tmp_path, monkeypatch):
    X, y = data(name, 5)
    path = tmp_path / "data.libsvm"
    path.write_bytes(text(X, y))
    kept = LEARNERS[name](passes=4).fit_stream(path)
    monkeypatch.setattr("separatrix.online.base.HELD_BYTES", 0)
    again = LEARNERS[name](passes=4).fit_stream(path)
    assert state(kept) == state(again)


@every_learner
@few
@given(seed=seeds)
def test_labels_learnt_on_the_way_are_labels_declared(name, seed):
    X, y = data(name, seed)
    y = np.sort(y)  # one label for a long time
    for labels in (["no", "yes"], [False, True], [-1, 1], [3.0, 4.0]):
        named = np.array(labels)[y]
        wanted = LEARNERS[name](n_features=X.shape[1]).fit(X, named)
        for order in (slice(None), slice(None, None, -1)):
            declared = LEARNERS[name](n_features=X.shape[1])
            declared.partial_fit(X[order], named[order], classes=labels)
            learnt = LEARNERS[name](n_features=X.shape[1])
            for x, label in zip(X[order], named[order], strict=True):
                learnt.learn_one(x, label)
            assert state(learnt) == state(declared)
            assert learnt.classes_.tolist() == labels
        assert state(declared)[0] == state(wanted)[0]
        assert learnt.predict(X).tolist() == [learnt.predict_one(x) for x in X]


@every_learner
def test_inputs_are_left_alone(name):
    X, y = data(name, 3)
    csr = sparse.csr_matrix(X)
    before = X.copy(), y.copy(), csr.copy()
    learner = LEARNERS[name]().fit(X, y).partial_fit(csr, y)
    learner.predict(X), learner.predict(csr)
    row = {0: 1.0, 3: 1.0}
    learner.learn_one(row, 1), learner.predict_one(row)
    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])
    assert (csr != before[2]).nnz == 0
    assert row == {0: 1.0, 3: 1.0}


@every_learner
def test_named_features_are_learnt_in_any_order_and_at_any_time(name):
    X, y = data(name, 7)
    names = [f"feature {j}" for j in range(X.shape[1])]
    forwards, backwards = LEARNERS[name](n_features=X.shape[1]), LEARNERS[name](n_features=X.shape[1])
    # The order of first sight numbers the columns: show them all first, in a row of zeros.
    for learner in (forwards, backwards):
        learner.learn_one(dict.fromkeys(names, 0.0), 0)
    for x, label in zip(X, y, strict=True):
        row = {names[j]: x[j] for j in range(len(names))}
        forwards.learn_one(row, label)
        backwards.learn_one(dict(reversed(row.items())), label)
    assert state(forwards) == state(backwards)
    assert forwards.predict_one({"never seen": 1.0}) in (0, 1)


@every_learner
def test_names_of_a_data_frame_are_kept(name, monkeypatch, tmp_path):
    X, y = data(name, 6)
    names = np.array([f"feature {j}" for j in range(X.shape[1])], dtype=object)
    # A data frame, to scikit-learn, is what it finds names in.
    named = {"names": names}
    monkeypatch.setattr("sklearn.utils.validation._get_feature_names", lambda X: named["names"])
    for learner in (LEARNERS[name]().fit(X, y), LEARNERS[name]().partial_fit(X, y)):
        learner.save(tmp_path / "m")
        loaded = sx.load(tmp_path / "m")
        assert loaded.feature_names_in_.tolist() == names.tolist()
        assert loaded.predict(X).tolist() == learner.predict(X).tolist()
        row = dict(zip(names.tolist(), X[0].tolist(), strict=True))
        assert loaded.predict_one(row) == learner.predict(X)[0]
    named["names"] = names[::-1]
    with pytest.raises(ValueError, match="same order"):
        loaded.predict(X)


@every_learner
def test_one_learner_may_be_used_from_several_threads(name):
    X, y = data(name, 9, n=400)
    learner = LEARNERS[name](n_features=X.shape[1]).partial_fit(X, y, classes=[0, 1])
    errors = []

    def work():
        try:
            for _ in range(10):
                learner.partial_fit(X, y)
                learner.predict(X)
                learner.learn_one(X[0], y[0])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert learner.run_.rounds == 400 * 41 + 40


@pytest.mark.parametrize(
    "name", ["perceptron", "averaged", "voted", "p-norm auto", "winnow", "balanced winnow"]
)
def test_scikit_learn_accepts_it(name):
    check_estimator(LEARNERS[name](), on_skip=None)


@every_learner
def test_a_clone_has_learnt_nothing(name):
    X, y = data(name, 2)
    learner = LEARNERS[name]().fit(X, y)
    with pytest.raises(AttributeError):
        _ = clone(learner).coef_


@every_learner
def test_the_curve_is_marked_at_powers_of_two(name):
    X, y = data(name, 4)
    run = LEARNERS[name](passes=3).fit(X, y).run_
    assert [round for round, _ in run.curve] == [1, 2, 4, 8, 16, 32, 64, 120]
    assert run.curve[-1] == (run.rounds, run.mistakes)
    assert sum(run.mistakes_by_class) == run.mistakes
