from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbdyn.collision.shapes import Shape
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.object import WorldObject
from rbdyn.world.registry.registry import Registry

_Ids = NDArray[np.intc]

class Asking:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...

class Queries:
    def __init__(self, registry: Registry) -> None: ...
    def rays(
        self,
        origins: Array,
        directions: Array,
        length: float,
        mask: int,
        exclude: list[Any],
        every: bool,
        threads: int = 1,
    ) -> Any: ...
    def casts(
        self, shape: Shape, poses: Array, ways: Array, mask: int, exclude: list[Any]
    ) -> tuple[Array, Array, _Ids]: ...
    def near(self, shape: Shape, poses: Array, mask: int, exclude: list[Any], reach: float) -> list[list[int]]: ...
    def nearest(
        self, shape: Shape, poses: Array, mask: int, exclude: list[Any], reach: float
    ) -> tuple[Array, _Ids]: ...
    def between(self, a: Any, b: Any) -> tuple[Array, int, int]: ...
    def asking(self) -> Asking: ...
    def names(self, shape_id: int) -> tuple[WorldObject, str, str, str, str]: ...
    def contacts_at(self, obj: WorldObject, rows: Any, margin: float, first: bool) -> list[Any]: ...
