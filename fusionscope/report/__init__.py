"""The figures, one function each, and their renderers for terminal and files: pure functions over turns."""
