"""`karat` and `python -m karat`: Ctrl-C ends it without a traceback, also while its modules are being loaded."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from karat.cli import main as run
    from karat.cli.codes import Code
    from karat.cli.interrupts import come_again

    sys.unraisablehook = come_again
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run()
    except SystemExit as end:
        if end.code in (Code.INTERRUPT, Code.TERMINATE, Code.HANGUP) and "ray" in sys.modules:
            # Ray that was stopped while it started often makes Python crash at its very end, when all is cleaned up.
            sys.stderr.flush()
            os._exit(int(end.code))
        raise


if __name__ == "__main__":
    main()
