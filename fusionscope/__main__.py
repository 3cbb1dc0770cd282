"""``python -m fusionscope``."""

import sys

from fusionscope.start import main

sys.exit(main())
