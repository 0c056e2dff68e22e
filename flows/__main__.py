"""`python -m flows`: the command line, where the script `planimeter` is not on the PATH."""

from flows.cli import main

if __name__ == "__main__":
    main()
