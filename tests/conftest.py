"""Property tests come in two profiles: quick by default, thorough with HYPOTHESIS_PROFILE=thorough."""

import os

from hypothesis import HealthCheck, settings

# CI judges the change and not the luck of a draw: the same examples each time. Everyone else draws anew.
settings.register_profile(
    "quick",
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
settings.register_profile("thorough", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
