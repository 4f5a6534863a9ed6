"""The exception tree of rbdyn.

Every error is an `Error`, which is a `ValueError`; where a more specific built-in exists the
class is that too, so that ordinary `except KeyError` and `except FileNotFoundError` work.
A message names the culprit, what came, what was needed and the choices.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class Error(ValueError):
    """Base of every exception that rbdyn raises on purpose."""


class UnknownNameError(Error, KeyError):
    """No such body, joint, frame, material or option; the message lists near names."""

    def __str__(self) -> str:  # KeyError would show the repr of the message
        return str(self.args[0]) if self.args else ""


class MechanismError(Error):
    """An edit that would break a mechanism; the mechanism is unchanged."""


class FrameMismatchError(Error):
    """Two spatial values in different frames were combined."""


class StateError(Error):
    """A state, velocity or configuration of the wrong length, or not finite."""


class LoopError(Error):
    """Loops of a mechanism that could not be closed."""


class StaleModelError(Error, RuntimeError):
    """A model or state was used after its mechanism changed."""


class DivergenceError(Error, ArithmeticError):
    """A step gave a non-finite value; the last good state was kept."""


class RemovedError(Error, RuntimeError):
    """An object was used after its removal from the World."""


class BusyError(Error, RuntimeError):
    """A World was edited between its half steps, or a World or State used by two threads at once."""


class FileError(Error):
    """Something is wrong inside a file; the message starts with file:line."""


class UrdfError(FileError):
    """A robot description that cannot be accepted."""


class MeshError(FileError):
    """A mesh file that cannot be accepted."""


class PathError(FileError, FileNotFoundError):
    """A file that does not exist, or may not be read."""

    def __str__(self) -> str:  # OSError would format its arguments as (errno, text)
        return str(self.args[0]) if self.args else ""


class MissingExtraError(Error, ImportError):
    """An optional dependency is not installed; the message gives the pip line."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class CollisionError(Error):
    """A shape or a query that a collision backend cannot answer."""


class ContactError(Error):
    """A contact problem that is malformed, or a solver that broke its contract."""


def unknown_name(kind: str, name: object, known: Iterable[str], where: str = "") -> UnknownNameError:
    """The error for a failed look-up: what was asked, the nearest names, and the choices."""
    names = sorted({str(k) for k in known})
    near = difflib.get_close_matches(str(name), names, n=3, cutoff=0.5)
    place = f" in {where}" if where else ""
    text = f"no {kind} named {str(name)[:200]!r}{place}"
    if near:
        text += f"; did you mean {', '.join(repr(n) for n in near)}?"
    if names:
        shown = ", ".join(names[:20]) + (f", ... ({len(names)} in all)" if len(names) > 20 else "")
        text += f" Known: {shown}" if near else f"; known: {shown}"
    return UnknownNameError(text)


def missing_extra(what: str, package: str, extra: str) -> MissingExtraError:
    """The error for an optional package that is not installed."""
    return MissingExtraError(f'{what} needs {package}. Install it with: pip install "rbdyn[{extra}]"')


class InactiveFeatureWarning(UserWarning):
    """Something that a robot's description asks for has no effect in a World yet; said once, when it is added."""
