"""Mistake bounds, one theorem a file."""
