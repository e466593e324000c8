"""A first look: learn to tell poisonous mushrooms from edible ones, and watch the mistakes stop.

Run it with `make demo`, or `python examples/demo.py` where Separatrix is installed.
"""

import os
import tempfile
import time
from pathlib import Path

import separatrix as sx
from separatrix.cli import main

DATA = Path(__file__).resolve().parent / "data"


def say(text: str = "") -> None:
    print(text, flush=True)


def command(*words: str, folder: str) -> None:
    """Run a command as the shell would, and show it."""
    shown = " ".join(words).replace(str(DATA), "examples/data").replace(folder + "/", "")
    say(f"$ separatrix {shown}")
    here = os.getcwd()
    os.chdir(folder)
    try:
        main(
            [word.replace(folder + "/", "") for word in words], prog_name="separatrix", standalone_mode=False
        )
    finally:
        os.chdir(here)
    say()


def demo(folder: str) -> None:
    mushrooms = str(DATA / "mushroom.libsvm")
    model = f"{folder}/mushroom.sx"
    say("8,124 mushrooms, each described by 126 yes/no features; label 1 means poisonous.")
    say("The Perceptron sees one at a time, guesses, is told, and changes only when it was wrong.")
    say()
    command("train", mushrooms, "-o", model, folder=folder)
    say("One pass. It is not done: a rule that separates all of them exists, so more passes find it,")
    say("and theorem T3 says they must end.")
    say()
    command("train", mushrooms, "-o", model, "--passes", "until-clean", folder=folder)
    say("150 mistakes in all, the last pass clean. Now the model labels the file without an error:")
    say()
    command("predict", model, mushrooms, "-o", f"{folder}/labels.txt", folder=folder)
    command("inspect", model, "--top", "4", folder=folder)
    say("The same game from Python, one row at a time, to the bit:")
    say()
    X, y = sx.read(mushrooms)
    learner = sx.Perceptron(n_features=X.shape[1])
    began = time.perf_counter()
    for row, label in zip(X, y, strict=True):
        learner.learn_one((row.indices, row.data), label)
    each = (time.perf_counter() - began) / len(y) * 1e6
    mistakes = learner.n_mistakes_
    say(f"  learn_one, {len(y):,} times: {mistakes} mistakes in the first pass, {each:.1f} µs a row")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        demo(folder)
