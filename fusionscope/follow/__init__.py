"""Keeping the store up with the logs: one pass over all of them, or following them as they grow."""
