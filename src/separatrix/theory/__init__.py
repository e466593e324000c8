"""The theory, evaluated: ledgers, bounds, certificates, adversaries."""
