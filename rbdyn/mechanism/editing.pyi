import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

class Editable(Protocol):
    name: str
    _lock: threading.RLock

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Editable)

class Editing:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

def editing(*mechanisms: Editable) -> Editing: ...
def edited(mechanism: Editable, call: Callable[[], T]) -> T: ...
def edit(method: Callable[Concatenate[E, P], T]) -> Callable[Concatenate[E, P], T]: ...
