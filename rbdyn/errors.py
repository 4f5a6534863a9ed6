"""The exception tree of rbdyn.

Every error is an `Error`, which is a `ValueError`; where a more specific built-in exists the
class is that too, so that ordinary `except KeyError` and `except FileNotFoundError` work.
A message names the culprit, what came, what was needed and the choices.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

MAX_MESSAGE = 1900  # letters; longer ones lose their middle
MAX_NAMES = 1000  # names that a misspelt one is compared with
MAX_LETTERS = 60  # of each of them
MAX_SIMILAR = 10  # names that are compared thoroughly: 8 ms each at worst, 60 times the same letter


class Error(ValueError):
    """Base of every exception that rbdyn raises on purpose.  Its message has at most 1,900 letters."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(_shortened(a, MAX_MESSAGE) if isinstance(a, str) else a for a in args))


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


class SnapshotError(Error):
    """A snapshot that is damaged, or does not fit the World that is to go back to it; the World is unchanged."""


class RecordingError(Error):
    """A recording that cannot go on, or a file of one that is damaged, cut, or of another version."""


class ViewerError(Error, RuntimeError):
    """A viewer that cannot start, such as at a port that is in use, or was closed."""


class BusyError(Error, RuntimeError):
    """A World was edited between its half steps, or a World or State used by two threads at once."""


class FileError(Error):
    """Something is wrong inside a file; the message starts with file:line."""


class UrdfError(FileError):
    """A robot description that cannot be accepted."""


class MjcfError(FileError):
    """An MJCF file that cannot be accepted."""


class SdfError(FileError):
    """An SDF file that cannot be accepted."""


class WorldFileError(FileError):
    """A world or material file that cannot be accepted."""


class MeshError(FileError):
    """A mesh file that cannot be accepted."""


class PathError(FileError, FileNotFoundError):
    """A file that does not exist, or may not be read."""

    def __new__(cls, *args: object) -> PathError:  # by name Python finds ValueError's, which refuses: Dask asks by name
        return FileNotFoundError.__new__(cls, *args)

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


def unknown_name(kind: str, name: object, known: Iterable[object], where: str = "") -> UnknownNameError:
    """The error for a failed look-up: what was asked, the nearest names, and the choices."""
    names = sorted({str(k) for k in known})
    asked = name if isinstance(name, str) else None
    near = near_names(asked, names) if asked else []
    place = f" in {where}" if where else ""
    text = f"no {kind} named {_shortened(asked, 200)!r}{place}" if asked is not None else _no_name(kind, name, place)
    if near:
        text += f"; did you mean {', '.join(repr(n) for n in near)}?"
    if names:
        shown = ", ".join(_shortened(n, MAX_LETTERS) for n in names[:20])
        shown += f", ... ({len(names)} in all)" if len(names) > 20 else ""
        text += f" Known: {shown}" if near else f"; known: {shown}"
    return UnknownNameError(text)


def near_names(name: str, names: Iterable[str], n: int = 3) -> list[str]:
    """The `n` names most like `name`, of the first thousand, within 0.1 s whatever they are.

    What has most pairs of letters in common with it is compared thoroughly.
    """
    wanted = name[:MAX_LETTERS]
    pairs = _letter_pairs(wanted)
    some = [k for k in islice(names, MAX_NAMES) if len(k) <= MAX_LETTERS]
    some.sort(key=lambda k: (-len(pairs & _letter_pairs(k)), abs(len(k) - len(wanted)), k))
    return difflib.get_close_matches(wanted, some[:MAX_SIMILAR], n=n, cutoff=0.5)


def _letter_pairs(name: str) -> set[str]:
    """Neighbouring letters, upper and lower case alike, and both ends."""
    framed = f" {name.lower()} "
    return {framed[k : k + 2] for k in range(len(framed) - 1)}


def _no_name(kind: str, name: object, place: str) -> str:
    """For what is asked by something that is no name."""
    try:
        text = repr(name)
    except Exception:  # an int of more digits than Python writes, or a __repr__ that fails
        text = f"a {type(name).__name__}"
    return f"no {kind} {_shortened(text, 80)}{place}"


def _shortened(text: str, most: int) -> str:
    """`text` without its middle if it has more than `most` letters."""
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - end - 5]} ... {text[-end:]}"


def missing_extra(what: str, package: str, extra: str) -> MissingExtraError:
    """The error for an optional package that is not installed."""
    return MissingExtraError(f'{what} needs {package}. Install it with: pip install "rbdyn[{extra}]"')


class InactiveFeatureWarning(UserWarning):
    """Something that a robot's description asks for has no effect in a World yet; said once, when it is added."""


class MimicWarning(UserWarning):
    """A joint that follows another starts where its leader says, or lost its leader by an edit; said once."""


class ExportWarning(UserWarning):
    """Something that the format of a written file cannot say; it is not in the file."""


class SetupWarning(UserWarning):
    """A value that a World accepts and that is probably a mistake; said once, at the first step with it.

    ``warnings.simplefilter("ignore", rbdyn.SetupWarning)`` silences it.
    """
