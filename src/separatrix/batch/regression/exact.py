"""Exact arithmetic on matrices of integers: every float is an integer times a power of two.

Integers are Python's, in NumPy arrays of objects; their products are made by BLAS on limbs of 21 bits,
whose sums of products are exact in a double (Ozaki's splitting), so that an exact normal matrix costs a
few matrix products and not one Python operation an entry and row.
"""

from math import isqrt

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from separatrix.batch.regression.problem import Floats

Integers = NDArray[np.object_]

_LIMB = 21
_BLOCK = 2048
# So many of Python's own multiplications take as long as one small matrix product of limbs.
_FEW = 50
WIDEST = 1200

# Primes below 2³¹, so that products fit in an int64.
PRIMES = (2147483647, 2147483629, 2147483587)


class TooWideError(Exception):
    """The values span so many binary orders of magnitude that integers do not serve."""


def integers(values: Floats) -> tuple[Integers, list[int]]:
    """Return integers N and one exponent a column with values[:, j] = N[:, j] · 2**exponents[j], exactly."""
    mantissas, exponents = np.frexp(values)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    lowest = np.where(whole == 0, 1, whole & -whole)
    trailing = np.frexp(lowest.astype(np.float64))[1] - 1
    exponents = exponents.astype(np.int64) - 53 + trailing
    whole >>= trailing
    far = np.int64(1 << 40)
    least = np.where(whole == 0, far, exponents).min(axis=0, initial=far)
    least = np.where(least == far, 0, least)
    shifts = np.where(whole == 0, 0, exponents - least)
    if shifts.max(initial=0) > WIDEST:
        raise TooWideError(f"the values of a column span 2**{int(shifts.max())}")
    return whole.astype(object) << shifts.astype(object), [int(e) for e in least]


def _limb_count(N: Integers) -> int:
    return max(int(N.max()), -int(N.min())).bit_length() // _LIMB + 1


def _limbs(N: Integers) -> list[Floats]:
    signs = np.where(N < 0, -1.0, 1.0)
    rest = np.abs(N)
    if not N.size:
        return []
    if int(rest.max()) < 1 << 62:
        rest = rest.astype(np.int64)
    mask, limbs = (1 << _LIMB) - 1, []
    while rest.any():
        limbs.append((rest & mask).astype(np.float64) * signs)
        rest = rest >> _LIMB
    return limbs


def transposed_product(A: Integers, B: Integers) -> Integers:
    """Return AᵀB, exactly."""
    rows = len(A)
    if 0 < rows * A.shape[1] * B.shape[1] <= _FEW * _limb_count(A) * _limb_count(B):
        return np.asarray(A.T.dot(B), dtype=object)
    left, right = _limbs(A), _limbs(B)
    total = np.zeros((A.shape[1], B.shape[1]), dtype=object)
    for order in range(len(left) + len(right) - 1):
        pairs = [(i, order - i) for i in range(len(left)) if 0 <= order - i < len(right)]
        at_order = np.zeros(total.shape, dtype=object)
        for start in range(0, rows, _BLOCK):
            part = slice(start, start + _BLOCK)
            # 21 + 21 + 11 bits: each product is exact in a double; up to 2¹⁰ of them in an int64.
            at_block = np.zeros(total.shape, dtype=np.int64)
            for count, (i, j) in enumerate(pairs):
                at_block += (left[i][part].T @ right[j][part]).astype(np.int64)
                if count % 512 == 511:
                    at_order += at_block.astype(object)
                    at_block[:] = 0
            at_order += at_block.astype(object)
        total += at_order << (_LIMB * order)
    return total


def product(A: Integers, B: Integers) -> Integers:
    """Return AB, exactly."""
    return transposed_product(np.ascontiguousarray(A.T), B)


def to_floats(N: Integers, scale: int) -> Floats:
    """Return N / 2**scale, each entry correctly rounded (but for underflow, which gives 0)."""
    denominator = 1 << max(scale, 0)
    factor = 1 << max(-scale, 0)
    return np.array([int(v) * factor / denominator for v in N.ravel()], dtype=np.float64).reshape(N.shape)


def independent(N: Integers) -> tuple[list[int], list[int]]:
    """Return (rows, columns) of an invertible block as large as the rank of N; columns leftmost first.

    Elimination modulo a prime: what is independent there is independent. That the rest depends on it
    fails only if a prime divides every larger minor; the largest of three primes' ranks is taken.
    """
    best: tuple[list[int], list[int]] = ([], [])
    for prime in PRIMES:
        found = _eliminate((N % prime).astype(np.int64), prime)
        if len(found[0]) > len(best[0]):
            best = found
        if len(best[0]) == min(N.shape):
            break
    return best


def _eliminate(M: NDArray[np.int64], prime: int) -> tuple[list[int], list[int]]:
    rows, columns = [], []
    order = np.arange(len(M))
    at = 0
    for column in range(M.shape[1]):
        below = np.flatnonzero(M[at:, column])
        if not len(below):
            continue
        pivot = at + int(below[0])
        if pivot != at:
            M[[at, pivot]] = M[[pivot, at]]
            order[[at, pivot]] = order[[pivot, at]]
        inverse = pow(int(M[at, column]), -1, prime)
        touched = at + 1 + np.flatnonzero(M[at + 1 :, column])
        if len(touched):
            factors = M[touched, column] * inverse % prime
            M[touched, column:] = (M[touched, column:] - factors[:, None] * M[at, column:] % prime) % prime
        rows.append(int(order[at]))
        columns.append(column)
        at += 1
        if at == len(M):
            break
    return rows, columns


class NotDefiniteError(Exception):
    """A matrix that should be positive definite could not be inverted even approximately."""


_FRACTION = 96
"""Bits after the point of an approximate inverse."""
# A step gains about 15 digits of the condition number.
_MOST_STEPS = 64
SOLUTION = 400
"""Bits of a solution: 60 digits for entries of 10⁻⁶⁰ of the largest."""


def zeros(H: Integers, C: Integers, basis: Integers | None) -> NDArray[np.bool_]:
    """Return which entries of `basis`·H⁻¹C are zero.

    What is not zero modulo a prime is not zero; what is zero modulo three is, unless all of them divide it.
    """
    left = None
    for prime in PRIMES:
        X = _solve_modulo((H % prime).astype(np.int64), (C % prime).astype(np.int64), prime)
        if X is None:
            continue
        if basis is not None:
            X = (product(basis % prime, X.astype(object)) % prime).astype(np.int64)
        left = X == 0 if left is None else left & (X == 0)
    return np.zeros(C.shape if basis is None else (len(basis), C.shape[1]), bool) if left is None else left


def _solve_modulo(H: NDArray[np.int64], C: NDArray[np.int64], prime: int) -> NDArray[np.int64] | None:
    """Solve HX = C modulo a prime, or return None if H is singular there."""
    D = len(H)
    M = np.hstack([H, C])
    for column in range(D):
        pivots = np.flatnonzero(M[column:, column])
        if not len(pivots):
            return None
        pivot = column + int(pivots[0])
        M[[column, pivot]] = M[[pivot, column]]
        M[column] = M[column] * pow(int(M[column, column]), -1, prime) % prime
        factors = M[:, column].copy()
        factors[column] = 0
        touched = np.flatnonzero(factors)
        M[touched] = (M[touched] - factors[touched, None] * M[column] % prime) % prime
    return M[:, D:]


def solve_definite(
    H: Integers, C: Integers, bits: int = SOLUTION
) -> tuple[Integers, Integers, int, list[int], float]:
    """Solve Hx = C for a positive definite H to `bits` bits of the largest entries, with bounds.

    Returns integers X, bounds E, an exponent q, scales p and δ with
    `|x_j − X_j · 2**(p_j − q)| ≤ E_j · 2**(p_j − q)`.

    The columns are scaled to about one by powers of two. Then Z with ZᵀHZ ≈ I is found by Cholesky in
    doubles applied again and again to the exact ZᵀHZ, and X by refinement with exact residuals.
    """
    D = len(H)
    halves = [(int(H[j, j]).bit_length() + 1) // 2 for j in range(D)]
    top = max(halves)
    up = np.array([top - half for half in halves], dtype=object)
    H = H << (up[:, None] + up[None, :])
    C = C << up[:, None]
    h = 2 * top
    Z = np.array([[(1 << _FRACTION) * (i == j) for j in range(D)] for i in range(D)], dtype=object)
    for _ in range(_MOST_STEPS):
        M = to_floats(transposed_product(Z, product(H, Z)), 2 * _FRACTION + h)
        delta = float(np.linalg.norm(M - np.eye(D))) * 1.001 + 1e-14 * D
        if delta < 1e-6:
            break
        Z = _improve(Z, M)
    else:
        raise NotDefiniteError
    X = np.zeros(C.shape, dtype=object)
    first = product(Z, transposed_product(Z, C))
    size = max((abs(int(v)).bit_length() for v in first.ravel() if v), default=0)
    q = max(bits - (size - 2 * _FRACTION - h), bits)
    R = C << q
    # Each step has at least 19 bits more (δ < 1e-6).
    for _ in range(q // 19 + 8):
        step = product(Z, transposed_product(Z, R)) >> (2 * _FRACTION + h)
        if not (np.abs(step) > 1).any():
            break
        X = X + step
        R = (C << q) - product(H, X)
    reach = transposed_product(Z, R)
    lengths = [isqrt(sum(int(v) ** 2 for v in reach[:, t])) + 1 for t in range(C.shape[1])]
    sizes = [isqrt(sum(int(v) ** 2 for v in Z[j])) + 1 for j in range(D)]
    bounds = np.array(
        [[((size * length) >> (h + 2 * _FRACTION)) * 17 // 16 + 2 for length in lengths] for size in sizes],
        dtype=object,
    )
    bounds[np.broadcast_to((R == 0).all(axis=0), bounds.shape)] = 0
    return X, bounds, q, [int(v) for v in up], delta


def _improve(Z: Integers, M: Floats) -> Integers:
    trace = float(np.trace(M))
    if not np.isfinite(trace):
        raise NotDefiniteError
    scales = np.sqrt(np.maximum(np.diag(M), 1e-300))
    scaled = M / scales[:, None] / scales
    for lift in (0.0, 1e-15, 1e-13, 1e-11):
        try:
            R = linalg.cholesky(scaled + lift * len(M) * np.eye(len(M)))
        except linalg.LinAlgError:
            continue
        inverse = linalg.solve_triangular(R, np.eye(len(M))) / scales[:, None]
        if np.isfinite(inverse).all():
            whole, exponents = integers(inverse)
            least = min(exponents)
            whole = whole << np.array([e - least for e in exponents], dtype=object)
            moved = product(Z, whole)
            return np.asarray(moved >> -least if least < 0 else moved << least, dtype=object)
    raise NotDefiniteError
