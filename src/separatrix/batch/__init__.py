"""Solvers that look at a whole data set."""
