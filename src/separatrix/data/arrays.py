"""What the native solvers take for a data set, made from what people have."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from separatrix._native import Matrix


def native_matrix(X: Any) -> "Matrix":
    """Return a dense array or a SciPy sparse matrix in the form that the native solvers read.

    Dense data becomes a C-contiguous float64 array, sparse data the three arrays of a canonical CSR
    matrix (indices sorted, duplicates summed) and its width. Nothing is copied that already has that form.
    """
    from scipy import sparse

    if not sparse.issparse(X):
        return np.ascontiguousarray(X, dtype=np.float64)
    # The solvers hold vectors of this length. Where there is no memory for them, better a MemoryError here
    # than native code's end of the process.
    np.empty((2, X.shape[1]))
    csr = X.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    return (
        np.ascontiguousarray(csr.indptr, dtype=np.int64),
        np.ascontiguousarray(csr.indices, dtype=np.uint32),
        np.ascontiguousarray(csr.data, dtype=np.float64),
        int(csr.shape[1]),
    )
