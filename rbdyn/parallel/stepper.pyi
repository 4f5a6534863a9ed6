from rbdyn.errors import DivergenceError
from rbdyn.world import World

class Stepper:
    worlds: tuple[World, ...]
    threads: int
    def __init__(self, worlds: tuple[World, ...], threads: int) -> None: ...
    def step(self, count: int, numbers: list[int]) -> dict[int, DivergenceError]: ...
