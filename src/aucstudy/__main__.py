"""`python -m aucstudy` is the command `aucstudy`."""

import sys

from aucstudy.commands.main import main

sys.exit(main())
