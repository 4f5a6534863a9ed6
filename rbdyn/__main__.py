"""``python -m rbdyn``."""

import sys

from rbdyn.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
