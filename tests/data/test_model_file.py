"""Model files: every damage is a clear error, never a crash, a hang or a large allocation."""

import contextlib
import hashlib
import json
import os
import resource
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from separatrix import _native
from separatrix.errors import InputError, ModelError


def model(learner=None):
    learner = learner or sx.Perceptron(prediction="voted")
    X = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    learner.fit(X, ["no", "yes", "yes"])
    return learner._learner.to_bytes()


CONTENT = model()


def load(content):
    return _native.Learner.from_bytes(content, "model.sx")


def parts(content):
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    return header, json.loads(header["__metadata__"]["separatrix"]), content[8 + length :]


def sealed(header, document, tensors):
    """A file of any content whose checksum is right: what only somebody hostile would write."""
    document = {**document, "sha256": "0" * 64}
    header["__metadata__"] = {"separatrix": json.dumps(document, separators=(",", ":"))}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    whole = struct.pack("<Q", len(text)) + text + tensors
    digest = hashlib.sha256(whole).hexdigest().encode()
    return whole.replace(b"0" * 64, digest, 1)


def test_the_seal_of_these_tests_is_the_librarys():
    assert load(sealed(*parts(CONTENT))).about()["mistakes"] == load(CONTENT).about()["mistakes"]


def test_a_file_cut_anywhere_is_an_error():
    for length in range(len(CONTENT)):
        with pytest.raises(ModelError, match=r"^model\.sx: "):
            load(CONTENT[:length])
    with pytest.raises(ModelError):
        load(CONTENT + b"\0")


def test_any_flipped_bit_is_an_error():
    for at in range(len(CONTENT)):
        for bit in range(8):
            damaged = bytearray(CONTENT)
            damaged[at] ^= 1 << bit
            with pytest.raises(ModelError):
                load(bytes(damaged))


@given(st.binary(max_size=400))
def test_any_bytes_are_an_error(content):
    with pytest.raises(ModelError):
        load(content)
    with pytest.raises(ModelError):
        load(struct.pack("<Q", max(0, len(content) - 8)) + content)


def test_absurd_sizes_allocate_nothing():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    header, document, tensors = parts(CONTENT)
    for size in (2**31, 2**40, 2**62, 2**63, 2**64 - 1):
        with pytest.raises(ModelError):
            load(struct.pack("<Q", size) + CONTENT[8:])
        header["weights"] = {"dtype": "F64", "shape": [1, size], "data_offsets": [0, size]}
        with pytest.raises(ModelError):
            load(sealed(header, document, tensors))
    for key in ("columns",):
        changed = {**document, "model": {**document["model"], key: 2**50}}
        with pytest.raises(ModelError):
            load(sealed(parts(CONTENT)[0], changed, tensors))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_another_schema_version_says_so():
    header, document, tensors = parts(CONTENT)
    with pytest.raises(ModelError, match=r"schema version 99 .*reads version 1"):
        load(sealed(header, {**document, "schema": 99}, tensors))


def test_another_safetensors_file_says_so():
    text = b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    with pytest.raises(ModelError, match="something else"):
        load(struct.pack("<Q", len(text)) + text + b"\1")


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["asked"]["rule"].update(name="no such rule"),
        lambda m: m["asked"].update(extra=1),
        lambda m: m["labels"].reverse(),
        lambda m: m["labels"].append("zebra"),
        lambda m: m.update(labels=[1, "a"]),
        lambda m: m["counters"].clear(),
        lambda m: m["counters"][0].update(mistakes=10**6),
        lambda m: m["counters"][0].update(radius_squared=-1.0),
        lambda m: m["counters"][0].update(next_mark=0),
        lambda m: m.update(columns=1),
        lambda m: m.update(kind="cake"),
        lambda m: m.update(settings=None),
        lambda m: m["settings"].update(memory_limit=-1),
    ],
)
def test_a_sealed_file_that_contradicts_itself_is_an_error(change):
    header, document, tensors = parts(CONTENT)
    change(document["model"])
    with pytest.raises(ModelError):
        load(sealed(header, document, tensors))


def test_tensors_are_checked():
    header, document, tensors = parts(CONTENT)
    names = [name for name in header if name != "__metadata__"]
    assert "update_columns" in names
    for name in names:
        without = {k: v for k, v in header.items() if k != name}
        with pytest.raises(ModelError):
            load(sealed(without, document, tensors))
    start, end = header["weights"]["data_offsets"]
    poisoned = tensors[:start] + struct.pack("<d", float("nan")) + tensors[start + 8 :]
    with pytest.raises(ModelError, match="finite"):
        load(sealed(header, document, poisoned))
    start, end = header["update_columns"]["data_offsets"]
    out_of_range = tensors[:start] + b"\xff" * (end - start) + tensors[end:]
    with pytest.raises(ModelError, match="fit"):
        load(sealed(header, document, out_of_range))


@given(st.data())
def test_fuzz_sealed_damage_is_an_error_or_a_model(data):
    """Bytes damaged and the checksum made right again: it may load, and then it must be usable."""
    header, document, tensors = parts(CONTENT)
    damaged = bytearray(tensors)
    for _ in range(data.draw(st.integers(1, 6))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        learner = load(sealed(header, document, bytes(damaged)))
    except ModelError:
        return
    # Weights may be so large now that a score overflows: then that is what is said.
    with contextlib.suppress(InputError):
        learner.predict_one([1.0, 2.0])
        learner.learn_one([1.0, 2.0], "no")


@pytest.mark.parametrize("learner", [sx.Perceptron(), sx.Winnow(), sx.BalancedWinnow(), sx.PNormPerceptron()])
def test_saving_again_gives_the_same_bytes(learner):
    content = model(learner)
    assert load(content).to_bytes() == content


def test_a_model_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "m.sx"
    learner = sx.Perceptron().fit([[1.0], [-1.0]], [1, -1])
    learner.save(path)
    os.chmod(path, 0o640)
    link = tmp_path / "link.sx"
    link.symlink_to(path)
    learner.partial_fit([[2.0]], [-1]).save(link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sx.load(path).run_.rounds == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.sx", "m.sx"]
    with pytest.raises(OSError, match="No such file"):
        learner.save(tmp_path / "no folder" / "m.sx")
    with pytest.raises(FileNotFoundError):
        sx.load(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        sx.load(tmp_path)


def test_names_and_unicode_survive(tmp_path):
    learner = sx.Perceptron()
    learner.learn_one({"größe": 1.0, 'a "quoted" name\n': 2.0}, "ja ✓")
    learner.learn_one({"größe": -1.0}, "nein")
    learner.save(tmp_path / "m")
    again = sx.load(tmp_path / "m")
    assert again.classes_.tolist() == ["ja ✓", "nein"]
    assert again.predict_one({"größe": 1.0}) == learner.predict_one({"größe": 1.0})
    assert again._learner.names == ["größe", 'a "quoted" name\n']
