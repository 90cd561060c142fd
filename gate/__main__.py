"""`python -m gate` and the `gate` program."""

import signal

signal.signal(
    signal.SIGINT, signal.SIG_DFL
)  # until the program is loaded: an early Ctrl-C ends it without a word

from gate.cli import main  # noqa: E402 - after the line above, which is there for this import

if __name__ == "__main__":
    main()
