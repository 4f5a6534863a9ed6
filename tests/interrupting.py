"""Interrupts at chosen moments of a call: a signal whose handler raises, between any two lines of Python."""

import contextlib
import signal
import sys


class Interrupt(BaseException):
    """What the handler of the signal raises, as that of Ctrl-C raises KeyboardInterrupt."""


@contextlib.contextmanager
def handled(error=Interrupt):
    """A handler in Python for SIGINT, or for the timer's signal where there is one."""

    def raise_error(number, frame):
        raise error

    number = getattr(signal, "SIGALRM", signal.SIGINT)
    before = signal.signal(number, raise_error)
    try:
        yield number
    finally:
        signal.signal(number, before)


def lines_of(call):
    """How many moments there are to interrupt a call: the lines of Python that it runs, and its calls and returns."""
    count = 0

    def count_one(frame, event, arg):
        nonlocal count
        count += 1
        return count_one

    before = sys.gettrace()
    sys.settrace(count_one)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def interrupted(call, at, error=Interrupt):
    """Let a signal come at moment number `at` of a call, from 0; returns whether it came out of the call."""
    count = -1

    def signal_once(frame, event, arg):
        nonlocal count
        count += 1
        if count == at:
            sys.settrace(None)
            signal.raise_signal(number)
        return signal_once

    before = sys.gettrace()
    with handled(error) as number:
        try:
            sys.settrace(signal_once)
            call()
            sys.settrace(before)
        except error:
            return True
        finally:
            sys.settrace(before)
    return False


def interrupted_after(call, seconds):
    """Let a signal come some time after a call began, or not at all; returns whether it came out of the call."""
    with handled():
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, seconds)
                call()
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        except Interrupt:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            return True
    return False
