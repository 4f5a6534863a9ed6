import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

class _Editable(Protocol):
    name: str
    _lock: threading.RLock

_P = ParamSpec("_P")
_T = TypeVar("_T")
_E = TypeVar("_E", bound=_Editable)

class Editing:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

def editing(*mechanisms: _Editable) -> Editing: ...
def edited(mechanism: _Editable, call: Callable[[], _T]) -> _T: ...
def edit(method: Callable[Concatenate[_E, _P], _T]) -> Callable[Concatenate[_E, _P], _T]: ...
