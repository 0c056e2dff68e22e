"""The entry point of `planimeter` and `python -m flows`: the command line, silent on Ctrl-C until it is loaded."""

import signal


def main() -> None:
    """Run the command line."""
    exit_quietly_on_ctrl_c()
    from planimeter.flows.commands.cli import main as command_line

    command_line()


def exit_quietly_on_ctrl_c() -> None:
    """Let Ctrl-C end the process at once until the command line handles it: imports would print a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
