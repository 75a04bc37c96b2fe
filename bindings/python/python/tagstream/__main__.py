"""The command `tagstream`."""

import signal
import sys

from ._tagstream import main as run


def main() -> int:
    # The command does not return to Python before its end, so Python could not handle Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["tagstream", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
