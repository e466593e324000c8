"""The online learners as the lectures write them: a few lines each, one row at a time, in NumPy.

Three departures, so that results can be compared to the bit. A score is summed in the order that the
library defines (the k-th non-zero to lane k mod 8); Winnow's weights are β to a summed exponent, which for
x in {0, 1} is what repeated multiplication means; and the p-norm's weights are all divided by one power of
two before they are raised to p − 1.
"""

import math

import numpy as np


def dot(w, x):
    lanes = [0.0] * 8
    k = 0
    for weight, value in zip(w, x, strict=True):
        if value != 0:
            lanes[k % 8] += float(value) * float(weight)
            k += 1
    l0, l1, l2, l3, l4, l5, l6, l7 = lanes
    return ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7))


def unit(x):
    squares = 0.0
    for value in x:
        squares += value * value
    return x / math.sqrt(squares) if squares > 0 else x


class Perceptron:
    """w ← w + y x on a mistake. With more than two classes a vector each: true + x, predicted − x."""

    def __init__(self, vectors, d, bias):
        self.w, self.b, self.bias = np.zeros((vectors, d)), np.zeros(vectors), bias
        self.timed_w, self.timed_b = np.zeros((vectors, d)), np.zeros(vectors)
        self.hypotheses = []

    def score(self, c, x):
        return dot(self.w[c], x) + self.b[c]

    def update(self, c, x, direction, round):
        self.w[c] += direction * x
        self.b[c] += direction * self.bias
        self.timed_w[c] += direction * round * x
        self.timed_b[c] += direction * round * self.bias

    def after_round(self):
        self.hypotheses.append((self.w.copy(), self.b.copy()))

    def averaged(self):
        """The mean of the hypotheses as they stood after each round."""
        return np.mean([w for w, _ in self.hypotheses], axis=0), np.mean(
            [b for _, b in self.hypotheses], axis=0
        )

    def votes(self, x, tie):
        """Two classes: the mean of the hypotheses' signs."""
        sign_of_zero = {"positive": 1, "negative": -1, "mistake": 0}[tie]
        total = 0
        for w, b in self.hypotheses:
            score = float(w[0] @ x) + b[0]
            total += np.sign(score) if score else sign_of_zero
        return total / len(self.hypotheses)


class PNorm(Perceptron):
    """θ ← θ + y x; w_i = sgn(θ_i)|θ_i|^(p−1)."""

    def __init__(self, vectors, d, bias, p):
        super().__init__(vectors, d, bias)
        self.p, self.scale = p, 1.0

    def link(self, theta):
        return math.copysign(math.pow(abs(theta) / self.scale, self.p - 1), theta)

    def score(self, c, x):
        return dot([self.link(theta) for theta in self.w[c]], x) + self.link(self.b[c])

    def update(self, c, x, direction, round):
        super().update(c, x, direction, round)
        largest = max(np.abs(self.w).max(), np.abs(self.b).max())
        while self.scale < largest:
            self.scale *= 2


class Winnow:
    """w = 1; predict positive iff w·x ≥ θ; w_i ← w_i β^(±x_i), or to 0 on a false alarm."""

    def __init__(self, vectors, d, bias, theta, beta, eliminate):
        self.e, self.b, self.bias = np.zeros((vectors, d)), np.zeros(vectors), bias
        self.theta, self.beta, self.eliminate = theta, beta, eliminate

    def weights(self, c):
        return [math.pow(self.beta, e) for e in self.e[c]]

    def score(self, c, x):
        bias = math.pow(self.beta, self.b[c]) if self.bias else 0.0
        return dot(self.weights(c), x) + bias - self.theta

    def update(self, c, x, direction, round):
        for e, values in ((self.e[c], x), (self.b[c : c + 1], [self.bias])):
            for i, value in enumerate(values):
                if self.eliminate and direction < 0:
                    if value > 0:
                        e[i] = -np.inf
                else:
                    e[i] += direction * value

    def after_round(self):
        pass


class BalancedWinnow(Perceptron):
    """w⁺ − w⁻ with w⁺ ← w⁺ β^(y x), w⁻ ← w⁻ β^(−y x)."""

    def __init__(self, vectors, d, bias, beta):
        super().__init__(vectors, d, bias)
        self.beta = beta

    def score(self, c, x):
        return dot([self.link(e) for e in self.w[c]], x) + self.link(self.b[c])

    def link(self, e):
        return math.pow(self.beta, e) - math.pow(self.beta, -e)


def play(rule, X, codes, *, tie, classes=2, normalize=False, passes=1):
    """Play the game; answer what was counted. `codes` number the classes; with two, 1 is positive."""
    counts = dict(rounds=0, mistakes=0, by_class=[0] * classes, radius=0.0, squared_norms=0.0)
    bias = float(rule.bias)
    for _ in range(passes):
        for x, y in zip(np.asarray(X, dtype=float), codes, strict=True):
            if normalize:
                x = unit(x)
            if classes == 2:
                score = rule.score(0, x)
                wrong = {
                    "mistake": score * (1 if y == 1 else -1) <= 0,
                    "positive": (score >= 0) != (y == 1),
                    "negative": (score > 0) != (y == 1),
                }[tie]
                changes = [(0, 1.0 if y == 1 else -1.0)]
            else:
                scores = [rule.score(c, x) for c in range(classes)]
                top = [c for c in range(classes) if scores[c] == max(scores)]
                predicted = top[-1] if tie == "positive" else top[0]
                others = [c for c in top if c != y]
                if tie == "mistake" and y in top and others:
                    predicted = others[0]
                wrong = predicted != y
                changes = [(y, 1.0), (predicted, -1.0)]
            counts["rounds"] += 1
            squares = dot(x, x) + bias
            counts["radius"] = max(counts["radius"], math.sqrt(squares))
            if wrong:
                counts["mistakes"] += 1
                counts["by_class"][y] += 1
                counts["squared_norms"] += squares
                for c, direction in changes:
                    rule.update(c, x, direction, counts["rounds"])
            rule.after_round()
    return counts
