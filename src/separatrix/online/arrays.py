"""What the native game takes for rows and labels, made from what scikit-learn has checked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_consistent_length, column_or_1d

from separatrix import _native


def native_rows(X: Any) -> "_native.Rows":
    """Return rows, dense or CSR, as the native game reads them."""
    if not sparse.issparse(X):
        return X  # type: ignore[no-any-return]
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    # SciPy allows two index types in one matrix; the game wants one.
    kind = np.result_type(X.indptr, X.indices)
    return X.indptr.astype(kind, copy=False), X.indices.astype(kind, copy=False), X.data, X.shape[1]


def encode_labels(y: Any, X: Any) -> tuple[NDArray[Any], NDArray[np.uint8] | NDArray[np.int64]]:
    """Return the sorted labels, and each row's class number."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    y = column_or_1d(y, warn=True)
    check_consistent_length(X, y)
    encoded = _native.encode_labels(y)
    if encoded is not None:
        places, codes = encoded
        classes = y[places]
        if classes.dtype.kind != "f" or bool(np.all(np.isfinite(classes) & (classes == np.floor(classes)))):
            return classes, codes
    if y.dtype.kind == "f":
        assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    classes, positions = np.unique(y, return_inverse=True)
    return classes, positions.astype(np.int64, copy=False)
