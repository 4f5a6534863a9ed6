"""Fleet: Worlds that are edited together, wholly or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rbdyn.errors import DivergenceError, Error
from rbdyn.parallel.stepper import Stepper
from rbdyn.world import World


class Fleet:
    """What `VectorWorld` is to the handles of its objects: Worlds, and who of them has diverged."""

    _stepper: Stepper
    _errors: dict[int, DivergenceError]

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
