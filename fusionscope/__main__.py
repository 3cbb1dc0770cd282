"""``python -m fusionscope``."""

import sys

from fusionscope.cli import main

sys.exit(main())
