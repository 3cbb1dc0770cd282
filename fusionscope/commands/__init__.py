"""The commands, each one function of the parsed options that returns an exit code."""
