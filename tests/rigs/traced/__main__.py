import sys

from tests.rigs.traced.command import main

sys.exit(main())
