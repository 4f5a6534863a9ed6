"""Fleet: Worlds that are edited together, wholly or not at all."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, ClassVar

from rbdyn.errors import DivergenceError, Error
from rbdyn.parallel.stepper import Stepper
from rbdyn.world import World


class Many:
    """What stands for many things of one kind: it says of names that only each of these has what to do with them."""

    __slots__ = ()
    _kind_of_one: ClassVar[type]  # what it stands for many of
    _all_of_them: ClassVar[str]  # them, in words

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            raise AttributeError(f"{name!r} of {type(self).__name__} cannot be set{self._hint(name)}") from None

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no {name!r}{self._hint(name)}")

    def _hint(self, name: str) -> str:
        """Where it is, if each of them has it; what is meant, perhaps, if not."""
        if not name.startswith("_") and hasattr(self._kind_of_one, name):
            own = f"each {self._kind_of_one.__name__} has its own"
            return f": {own}; {self._all_of_them} are those, and worlds.apply(...) edits all"
        close = difflib.get_close_matches(name, [n for n in dir(type(self)) if not n.startswith("_")], 1)
        return f"; did you mean {close[0]!r}?" if close else ""


class Fleet(Many):
    """What `VectorWorld` is to the handles of its objects: Worlds, and who of them has diverged."""

    __slots__ = ("_errors", "_stepper")
    _kind_of_one, _all_of_them = World, "worlds[k]"
    _stepper: Stepper
    _errors: dict[int, tuple[DivergenceError, str]]  # and the hash of the state in which it stands

    @property
    def worlds(self) -> tuple[World, ...]:
        """Each of them."""
        return self._stepper.worlds

    def _goes_on(self, numbers: list[int]) -> None:
        """These were set to something: they step again."""
        for k in numbers:
            self._errors.pop(k, None)

    def _each(self, numbers: list[int], function: Callable[..., Any], **rows: Any) -> list[Any]:
        """Call it for each; those that were changed are what they were if one refuses, which the error names."""
        before = [(self.worlds[k], self.worlds[k].snapshot()) for k in numbers]
        results = []
        for i, k in enumerate(numbers):
            try:
                results.append(function(self.worlds[k], **{name: row[i] for name, row in rows.items()}))
            except BaseException as error:
                for world, snapshot in before[: i + 1]:
                    world.restore(snapshot)
                if isinstance(error, Error):
                    raise type(error)(f"World {k}: {error}") from error
                raise
        return results
