"""Attributes of bodies and joints that may be changed: checked when set, and seen by the Models compiled before."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from rbdyn.mechanism._revision import Revision, put

T = TypeVar("T")
Change = tuple[Any, Any, Any]  # of `put_all`


class Edited:
    """Something in a mechanism whose parameters may be changed."""

    _revision: Revision | None = None  # the mechanism's edit counter, once attached
    _constant: ClassVar[frozenset[str]] = frozenset()  # attributes whose values never change, but for others

    def __getstate__(self) -> dict[str, Any]:
        """A copy belongs to no mechanism until one takes it."""
        state = self.__dict__.copy()
        state.pop("_revision", None)
        return state

    def __deepcopy__(self, memo: dict[int, Any]) -> Edited:
        """As the usual way copies it, in a third of the time: values that never change are those of the copy, too."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        values = made.__dict__
        for name, value in self.__dict__.items():
            if name != "_revision":
                values[name] = value if name in self._constant else copy.deepcopy(value, memo)
        return made


class Parameter(Generic[T]):
    """An attribute that is checked when set; setting it counts as an edit of the mechanism.

    Parameters
    ----------
    check : function of (owner, value, name)
        Returns the value to keep, or raises an Error naming it.
    """

    def __init__(self, check: Callable[[Any, Any, str], T], doc: str) -> None:
        self.check = check
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    if TYPE_CHECKING:  # reading is left to Python: what `__set__` wrote into the instance

        def __get__(self, instance: Any, owner: type) -> T: ...

    def __set__(self, instance: Edited, value: Any) -> None:
        put(instance.__dict__, self.name, self.check(instance, value, self.name), instance._revision)


def change(instance: Edited, name: str, value: Any) -> Change:
    """The change that sets a parameter, for `put_all`."""
    parameter: Any = getattr(type(instance), name)
    return instance.__dict__, name, parameter.check(instance, value, name)
