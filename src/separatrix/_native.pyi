from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

# A C-contiguous float64 matrix, or (row starts, column indices, values, columns) of a canonical CSR one.
Matrix = (
    NDArray[np.float64] | tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64], int]
)
