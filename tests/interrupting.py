"""Interrupts at chosen moments of a call, between any two lines of Python.

A signal whose handler raises, a trace function that raises, an exception that another thread sends, a lack of memory.
"""

import contextlib
import ctypes
import gc
import signal
import sys
import threading

import numpy as np

try:
    from _testcapi import remove_mem_hooks, set_nomemory
except ImportError:                                      # a Python without its own tests
    set_nomemory = None


class Interrupt(BaseException):
    """What the handler of the signal raises, as that of Ctrl-C raises KeyboardInterrupt."""


@contextlib.contextmanager
def uncollected():
    """No garbage is collected: what is raised in callbacks of the collector, which other libraries set, is lost.

    NumPy's handling of errors is as before in the end: an interrupt within its own `errstate` leaves that behind.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        with np.errstate():
            yield
    finally:
        if enabled:
            gc.enable()


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


@uncollected()
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


@uncollected()
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


@uncollected()
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


@uncollected()
def raised(call, at, sent=False):
    """Raise at moment number `at` of a call, from 0; returns whether it came out of the call.

    By the trace function itself, which Python takes away then; `sent`: as another thread would send it.
    """
    count = -1

    def raise_once(frame, event, arg):
        nonlocal count
        count += 1
        if count != at:
            return raise_once
        if not sent:
            raise Interrupt
        sys.settrace(None)
        thread = ctypes.c_ulong(threading.get_ident())
        ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(Interrupt))
        return None

    before = sys.gettrace()
    try:
        sys.settrace(raise_once)
        call()
        sys.settrace(before)
    except Interrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def starved(call, at):
    """Let allocation number `at` of a call fail, from 1; returns whether that came out of the call.

    NumPy turns some of it into errors of other kinds.
    """
    try:
        set_nomemory(at, at + 1)
        call()
    except Exception:
        return True
    finally:
        remove_mem_hooks()
    return False


def check_released(*mechanisms):
    """Nothing is held: handlers of signals run, and other threads may edit these mechanisms."""
    with handled() as number:
        try:
            signal.raise_signal(number)
        except Interrupt:
            pass
        else:
            raise AssertionError("signals are held")
    free = []

    def take():
        for mechanism in mechanisms:
            free.append(mechanism._lock.acquire(blocking=False))
            if free[-1]:
                mechanism._lock.release()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join()
    assert free == [True] * len(mechanisms)
