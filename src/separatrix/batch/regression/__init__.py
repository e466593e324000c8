"""How least squares and ridge regression are solved, and how many digits of the answer are proved.

Read :mod:`~separatrix.batch.regression.solve` first: it is the order in which the others are tried.
"""
