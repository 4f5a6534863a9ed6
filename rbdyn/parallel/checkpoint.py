"""Results of a sweep in a file: a line of JSON for each, so that a reader runs no code, and a killed writer loses one.

Numbers, text, bytes, lists, tuples, dicts and numpy arrays of numbers are written so that they come back as they were,
bit for bit.  Nothing else is.
"""

from __future__ import annotations

import base64
import hashlib
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.parallel.tasks import Failure

HEAD = "rbdyn sweep 2"
TAG = "!"  # of what JSON has no word for: {"!": kind, "of": content}


def encoded(value: Any) -> Any:
    """`value` in the words of JSON; TypeError for what cannot be written."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is list:
        return [encoded(x) for x in value]
    if type(value) is tuple:
        return {TAG: "tuple", "of": [encoded(x) for x in value]}
    if type(value) is dict:
        if all(type(key) is str for key in value) and TAG not in value:
            return {key: encoded(x) for key, x in value.items()}
        return {TAG: "dict", "of": [[encoded(key), encoded(x)] for key, x in value.items()]}
    if type(value) is bytes:
        return {TAG: "bytes", "of": base64.b64encode(value).decode()}
    if type(value) is complex:
        return {TAG: "complex", "of": [value.real, value.imag]}
    if (type(value) is np.ndarray or isinstance(value, np.generic)) and value.dtype.kind in "biufcSUmM":
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        text = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {TAG: kind, "dtype": value.dtype.str, "shape": list(value.shape), "of": text}
    raise TypeError(f"{shown(value)} of type {type(value).__name__}")


def decoded(given: Any) -> Any:
    """What `encoded` wrote; ValueError, KeyError or TypeError for anything else."""
    if isinstance(given, list):
        return [decoded(x) for x in given]
    if not isinstance(given, dict):
        return given
    if TAG not in given:
        return {key: decoded(x) for key, x in given.items()}
    kind, content = given[TAG], given["of"]
    if kind == "tuple":
        return tuple(decoded(x) for x in content)
    if kind == "dict":
        return {decoded(key): decoded(x) for key, x in content}
    if kind == "bytes":
        return base64.b64decode(content, validate=True)
    if kind == "complex":
        real, imag = content
        return complex(real, imag)
    if kind in ("array", "scalar"):
        dtype = np.dtype(str(given["dtype"]))
        if dtype.hasobject:
            raise ValueError("an array of objects")
        flat = np.frombuffer(base64.b64decode(content, validate=True), dtype)
        array = flat.reshape([int(n) for n in given["shape"]]).copy()
        return array if kind == "array" else array[()]
    raise ValueError(f"a {shown(kind)}")


def digest_of(item: Any, index: int, seed: int) -> str:
    """Hash of a task: its parameters, number and seed, 32 hexadecimal digits.

    Dicts and sets count as equal in any order.  Parameters that JSON has no word for count by their pickle, which
    nobody reads.
    """
    try:
        said = json.dumps(encoded(_in_order(item)), sort_keys=True).encode()
    except TypeError:
        said = pickle.dumps(item, protocol=4)
    return hashlib.blake2b(json.dumps([index, seed]).encode() + said, digest_size=16).hexdigest()


def _in_order(item: Any) -> Any:
    """The item with its sets sorted: text is hashed otherwise in each process."""
    if type(item) is list:
        return [_in_order(x) for x in item]
    if type(item) is tuple:
        return tuple(_in_order(x) for x in item)
    if type(item) is dict:
        return {key: _in_order(x) for key, x in item.items()}
    if type(item) in (set, frozenset):
        return ["set", *sorted(json.dumps(encoded(_in_order(x)), sort_keys=True) for x in item)]
    return item


class Checkpoint:
    """The file of one sweep, to which nobody else writes meanwhile.

    Parameters
    ----------
    path : path-like
        Made if it is not there.
    function : str
        Name of what is called.
    digests : list of str
        Hash of each task.
    """

    def __init__(self, path: Any, function: str, digests: list[str]) -> None:
        self.path, self._function, self._digests = Path(path), function, digests
        self.done: dict[int, Any] = {}
        self._file = self.path.open("a+b")
        try:
            _lock(self._file, self.path)
            self._read()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _read(self) -> None:
        """Take in what is there; Error, with its line, for what is not of this sweep."""
        self._file.seek(0)
        text = self._file.read()
        if not text:
            self._append({"file": HEAD, "function": self._function})
            return
        whole = text[: text.rfind(b"\n") + 1]
        lines = whole.decode("utf-8", errors="replace").splitlines()
        try:
            head = json.loads(lines[0]) if lines else {}
        except (ValueError, RecursionError):
            head = {}
        if not isinstance(head, dict) or head.get("file") != HEAD:
            raise Error(
                f"{self.path} is no checkpoint of a sweep, or one of another version: its first line must say "
                f"{HEAD!r}; give another file"
            )
        if head.get("function") != self._function:
            raise Error(
                f"{self.path} is of a sweep of {head.get('function')!r}, not of {self._function!r}; give another file"
            )
        for number, line in enumerate(lines[1:], 2):
            self._take(number, line)
        if len(whole) < len(text):  # the writer was killed in the middle of a line
            self._file.truncate(len(whole))

    def _take(self, number: int, line: str) -> None:
        """A line of the file."""
        try:
            record = json.loads(line)
            index, task = record["index"], record["task"]
            if record["sum"] != _sum(record["result"]):
                raise ValueError("the result is not what was written")
            value = decoded(record["result"])
            if type(index) is not int:
                raise ValueError("an index that is no whole number")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Error(f"{self.path}:{number}: damaged: {error}; give another file, or take this line out") from None
        if not 0 <= index < len(self._digests):
            return  # of a longer sweep
        if task != self._digests[index]:
            raise Error(
                f"{self.path}:{number}: task {index} was done with other parameters, or another seed; give another "
                "file, or the parameters of then"
            )
        self.done[index] = value

    def written(self, index: int, value: Any) -> Any:
        """The result of a task, once it is in the file; a Failure if it is of a kind that cannot be written."""
        try:
            result = encoded(value)
            self._append({"index": index, "task": self._digests[index], "sum": _sum(result), "result": result})
        except (TypeError, ValueError, RecursionError) as error:
            why = f"the result cannot be written: {error}; with resume= it must be numbers, text, lists, tuples, dicts"
            return Failure("Error", f"{why} or arrays")
        self.done[index] = value
        return value

    def _append(self, record: dict[str, Any]) -> None:
        line = json.dumps(record)
        self._file.write(line.encode() + b"\n")
        self._file.flush()


def _sum(result: Any) -> str:
    """Of what a line says, so that a changed digit is noticed."""
    return hashlib.blake2b(json.dumps(result, sort_keys=True).encode(), digest_size=8).hexdigest()


def _lock(file: Any, path: Path) -> None:
    """Keep other sweeps from writing to the file; where the system has no such locks, nobody is kept."""
    try:
        import fcntl  # noqa: PLC0415  POSIX alone has it
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Error(f"{path} is written to by another sweep, or by workers that it left behind") from None
    except OSError:  # a file system without locks
        return
