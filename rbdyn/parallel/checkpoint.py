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

HEAD = "rbdyn sweep 1"
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
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufcSUmM":
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

    Parameters that JSON has no word for count by their pickle, which nobody reads.
    """
    try:
        said = json.dumps(encoded(item)).encode()
    except TypeError:
        said = pickle.dumps(item, protocol=4)
    return hashlib.blake2b(json.dumps([index, seed]).encode() + said, digest_size=16).hexdigest()


class Checkpoint:
    """The file of one sweep.

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
        if self.path.exists():
            self._read()
        else:
            head = {"file": HEAD, "function": function}
            with self.path.open("x", encoding="utf-8") as file:
                file.write(json.dumps(head) + "\n")

    def _read(self) -> None:
        """Take in what is there; Error, with its line, for what is not of this sweep."""
        text = self.path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        lines = whole.decode("utf-8", errors="replace").splitlines()
        try:
            head = json.loads(lines[0]) if lines else {}
        except ValueError:
            head = {}
        if not isinstance(head, dict) or head.get("file") != HEAD:
            raise Error(f"{self.path} is no checkpoint of a sweep: its first line must be one; give another file")
        if head.get("function") != self._function:
            raise Error(
                f"{self.path} is of a sweep of {head.get('function')!r}, not of {self._function!r}; give another file"
            )
        for number, line in enumerate(lines[1:], 2):
            self._take(number, line)
        if len(whole) < len(text):  # the writer was killed in the middle of a line
            with self.path.open("r+b") as file:
                file.truncate(len(whole))

    def _take(self, number: int, line: str) -> None:
        """A line of the file."""
        try:
            record = json.loads(line)
            index, task = record["index"], record["task"]
            value = decoded(record["result"])
            if type(index) is not int:
                raise ValueError("an index that is no whole number")
        except (ValueError, KeyError, TypeError) as error:
            raise Error(f"{self.path}:{number}: damaged: {error}; give another file, or take this line out") from None
        if not 0 <= index < len(self._digests):
            return  # of a longer sweep
        if task != self._digests[index]:
            raise Error(
                f"{self.path}:{number}: task {index} was done with other parameters, or another seed; give another "
                "file, or the parameters of then"
            )
        self.done[index] = value

    def write(self, index: int, value: Any) -> None:
        """The result of a task; Error if it is of a kind that cannot be written."""
        try:
            result = encoded(value)
        except TypeError as error:
            raise Error(
                f"the result of task {index} cannot be written to {self.path}: {error}; a sweep with resume= needs "
                "numbers, text, lists, tuples, dicts and arrays"
            ) from None
        line = json.dumps({"index": index, "task": self._digests[index], "result": result})
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        self.done[index] = value
