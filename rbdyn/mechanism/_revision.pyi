class Revision:
    value: int
    frames: int
    def __init__(self, value: int = 0) -> None: ...
