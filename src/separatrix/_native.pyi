from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

# A C-contiguous float64 matrix, or (row starts, column indices, values, columns) of a canonical CSR one.
Matrix = NDArray[np.float64] | tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64], int]

# (labels, row starts, indices, values, columns, (rows with a query id, query ids))
_Rows = tuple[
    NDArray[np.float64], NDArray[Any], NDArray[Any], NDArray[np.float64], int, tuple[list[int], list[int]]
]

class RowStream:
    def __new__(
        cls,
        sources: list[Any],
        *,
        index_base: int | None,
        bad_rows: str,
        optional_labels: bool,
        column_limit: int,
        line_limit: int,
        threads: int,
    ) -> RowStream: ...
    def next_batch(self) -> _Rows | None: ...
    def read_all(self) -> tuple[_Rows, dict[str, Any]]: ...
    def so_far(self) -> tuple[int, int, list[str], int | None]: ...
