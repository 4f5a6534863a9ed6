"""Names that are used once."""

from __future__ import annotations


class Names:
    """Names of one kind of thing in a document.

    Parameters
    ----------
    *taken : str
        Those that are not free.
    """

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def free(self, wish: str) -> str:
        """`wish`, or with a number behind it if that is taken; taken from now on."""
        name, k = wish, self._next.get(wish, 2)
        while name in self._taken:
            name, k = f"{wish}_{k}", k + 1
        self._next[wish] = k
        self._taken.add(name)
        return name


def claimed(wish: str, taken: set[str]) -> str:
    """`wish`, or with underscores behind it if that is taken; taken from now on."""
    while wish in taken:
        wish += "_"
    taken.add(wish)
    return wish
