from typing import Any

class Revision:
    value: int
    frames: int
    owner: Any
    def __init__(self, value: int = 0) -> None: ...
    def count(self) -> None: ...

def put(values: dict[str, Any], name: str, value: object, revision: Revision | None) -> None: ...
