"""Loads and runs the command line for `planimeter` and `python -m flows`; Ctrl-C while it loads prints no traceback."""

import signal


def main() -> None:
    """Run the command line."""
    exit_quietly_on_ctrl_c()
    from planimeter.flows.commands.cli import main as command_line

    command_line()


def exit_quietly_on_ctrl_c() -> None:
    """Let Ctrl-C end this process silently while the command line is imported; otherwise Python prints a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
