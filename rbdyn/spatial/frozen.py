"""Values that are set once, when they are made."""

from __future__ import annotations

import numpy as np


class Frozen:
    """What cannot be changed; arrays in it are read-only."""

    __slots__ = ()

    def _set(self, **values: object) -> None:
        """Set the attributes of a value that is being made."""
        for name, value in values.items():
            if type(value) is np.ndarray:
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        kind = type(self).__name__
        raise AttributeError(f"a{'n' if kind[0] in 'AEIOU' else ''} {kind} cannot be changed; make a new one")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)
