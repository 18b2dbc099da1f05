"""Signals that end a command: what their handlers raise is swallowed by Python in some places, and must not be lost."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

from karat.cli.codes import Code

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

SOON = 0.01
"""Seconds after which a signal comes again."""
_ENDING = (Code.INTERRUPT, Code.TERMINATE, Code.HANGUP)


def come_again(swallowed: UnraisableHookArgs) -> None:
    """For `sys.unraisablehook`: at the end of an import or in a destructor, nothing that is raised goes on."""
    code = getattr(swallowed.exc_value, "code", None)
    if issubclass(swallowed.exc_type, KeyboardInterrupt):
        code = Code.INTERRUPT
    elif not issubclass(swallowed.exc_type, SystemExit) or code not in _ENDING:
        sys.__unraisablehook__(swallowed)
        return
    while True:
        try:
            # A thread of `threading` would be waited for here, where the signal would be swallowed once more.
            _thread.start_new_thread(_send_soon, (code - 128,))
            return
        except (KeyboardInterrupt, SystemExit):
            # This machine is so busy that the signal came before the end of this function.
            continue
        except RuntimeError:
            # Python is ending by itself.
            return


def _send_soon(number: int) -> None:
    time.sleep(SOON)
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        # To this thread: what it waits for ends, too.
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)
