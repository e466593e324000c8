"""The theory, evaluated: ledgers, bounds, certificates, adversaries."""

from separatrix.theory import bounds

__all__ = ["bounds"]
