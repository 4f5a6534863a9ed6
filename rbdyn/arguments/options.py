"""Options by name: one that a function does not have is an error of ours, which names those that it has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from rbdyn.errors import unknown_name

P = ParamSpec("P")
T = TypeVar("T")


def check_options(given: Iterable[str], known: Iterable[str], where: str) -> None:
    """Let all of `given` be among `known`, or raise UnknownNameError.

    Parameters
    ----------
    given, known : iterable of str
        Names of options.
    where : str
        Whose they are, for the message.
    """
    choices = list(known)
    for name in given:
        if name not in choices:
            raise unknown_name("option", name, choices, where)


def named_options(function: Callable[P, T]) -> Callable[P, T]:
    """A decorator: what is passed by a name that the function does not have is an UnknownNameError, not a TypeError."""
    parameters = inspect.signature(function).parameters
    known = frozenset(parameters)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        if not known.issuperset(kwargs):
            check_options(kwargs, parameters, f"{function.__name__}()")
        return function(*args, **kwargs)

    return checked
