from typing import Any

class Revision:
    value: int
    frames: int
    owner: Any
    def __init__(self, value: int = 0) -> None: ...
