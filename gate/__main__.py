"""`python -m gate` and the `gate` program."""

from gate.cli import main

if __name__ == "__main__":
    main()
