"""`karat` and `python -m karat`: Ctrl-C ends it without a traceback, also while its modules are being loaded."""

from __future__ import annotations

import signal
from typing import NoReturn


def main() -> NoReturn:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from karat.cli import main as run

    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()
