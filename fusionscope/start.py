"""Where the program starts: straight to the status line when that is asked for, else to the command line.

The CLI runs ``fusionscope statusline`` several times during a turn and a person waits for its line: it does without the
parsers of all the other commands.
"""

from __future__ import annotations

import gc
import sys

__all__ = ["main"]


def main() -> int:
    """Run what the arguments name and return the exit code."""
    if sys.argv[1:] == ["statusline"]:
        gc.disable()  # over before there is anything to collect
        from fusionscope.commands.statusline import print_line

        return print_line()
    from fusionscope.cli import main

    return main()
