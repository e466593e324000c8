"""Model files: reading one into a native learner. Imports nothing heavy: commands start here."""

import os

from separatrix import _native
from separatrix.errors import ModelError

LARGEST = 64 << 30
"""A file larger than this is no model that was ever trained here."""


def read_model(path: str | os.PathLike[str]) -> _native.Learner:
    """The learner in a model file; every byte of the file is checked."""
    name = os.fspath(path)
    with open(name, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST:
            raise ModelError(f"{name}: expected a model file, found {size} bytes, more than any model has")
        content = file.read(size + 1 if size else 8)
        # A pipe does not say how much it has. What begins like no model is not waited for.
        if not size and 0 < int.from_bytes(content, "little") <= LARGEST:
            content += file.read()
    return _native.Learner.from_bytes(content, name)
