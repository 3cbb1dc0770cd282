"""Measured comparisons. Nothing here is part of the program, and no test fails because of a time."""
