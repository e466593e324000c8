"""Online learners, one a file."""
