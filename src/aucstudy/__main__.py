"""`python -m aucstudy` is the command `aucstudy`."""

import sys

from aucstudy.cli import main

sys.exit(main())
