from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

# Dense rows, or (indptr, indices, data, columns) of CSR rows; float32 or float64, int32 or int64.
Rows = NDArray[Any] | tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]
Label = bool | int | float | str

class Learner:
    def __new__(
        cls,
        rule: str,
        *,
        bias: bool,
        normalize: bool,
        tie: str,
        memory_limit: int,
        n_features: int | None = None,
        p: float | None = None,
        threshold: float | None = None,
        factor: float | None = None,
        demotion: str = "divide",
        k: int | None = None,
        delta: float | None = None,
    ) -> Learner: ...
    columns: int
    names: list[str] | None
    def declare(self, labels: list[Any]) -> None: ...
    def begin(self, columns: int) -> None: ...
    def classes(self) -> list[Label]: ...
    def run(
        self,
        rows: Rows,
        codes: NDArray[np.uint8] | NDArray[np.int64],
        *,
        order: str,
        seed: int,
        passes: int,
        until_clean: bool,
        new_pass: bool = True,
    ) -> tuple[int, bool]: ...
    def scores(self, rows: Rows) -> NDArray[np.float64]: ...
    def predict(self, rows: Rows) -> NDArray[np.int64]: ...
    def learn_one(self, x: Any, y: Any) -> bool: ...
    def predict_one(self, x: Any) -> Label | None: ...
    def scores_one(self, x: Any) -> list[float]: ...
    def coefficients(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None: ...
    def about(self) -> dict[str, Any]: ...
    def name_columns(self, names: list[str]) -> None: ...
    def note_source(self, source: str) -> None: ...
    def to_bytes(self) -> bytes: ...
    @classmethod
    def from_bytes(cls, bytes: bytes, name: str = "model") -> Learner: ...
    def save(self, path: str) -> None: ...

def encode_labels(labels: NDArray[Any]) -> tuple[list[int], NDArray[np.uint8]] | None: ...
def train_text(
    learner: Learner,
    sources: list[Any],
    reading: dict[str, Any],
    *,
    order: str,
    seed: int,
    passes: int,
    until_clean: bool,
    hold: int,
    tick: Any = None,
) -> tuple[dict[str, Any], BaseException | None]: ...
def predict_text(
    learner: Learner,
    sources: list[Any],
    reading: dict[str, Any],
    *,
    scores: bool,
    write: Any = None,
    tick: Any = None,
) -> dict[str, Any]: ...

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

def separate(matrix: Matrix, signs: NDArray[np.float64], bias: bool, only_decide: bool) -> dict[str, Any]: ...
def unit_values(matrix: Matrix) -> NDArray[np.float64]: ...
def hinge_path(
    matrix: Matrix,
    labels: NDArray[np.float64],
    penalties: list[float],
    *,
    bias: float,
    tolerance: float,
    passes: int,
    seconds: float,
    seed: int,
) -> list[tuple[float, NDArray[np.float64], float, int, bool]]: ...
def min_disagreement(
    x: Matrix,
    labels: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    starts: list[list[float]],
    bias: bool,
    time_limit: float | None,
    at_most: float | None,
    threads: int,
    progress: Any,
) -> tuple[NDArray[np.float64], int, int, int, bool]: ...
def score_signs(x: Matrix, coefficients: NDArray[np.float64], intercept: float) -> NDArray[np.int8]: ...
def regression_residual(
    matrix: Matrix,
    targets: NDArray[np.float64],
    weights: NDArray[np.float64],
    high: NDArray[np.float64],
    low: NDArray[np.float64],
    intercept: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]: ...

class SquareRootRidge:
    def __new__(cls, columns: int, alpha: float, forecaster: bool, bias: bool) -> SquareRootRidge: ...
    def play(self, matrix: Matrix, targets: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def predict(self, matrix: Matrix) -> NDArray[np.float64]: ...
    def grow(self, columns: int) -> None: ...
    @property
    def columns(self) -> int: ...
    def weights(self) -> NDArray[np.float64]: ...
    def ledger(self) -> tuple[int, float, float, float, float]: ...
    def __getnewargs__(self) -> tuple[int, float, bool, bool]: ...
    def __getstate__(self) -> Any: ...
    def __setstate__(self, state: Any) -> None: ...
