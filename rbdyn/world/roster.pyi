import os
from collections.abc import Iterable
from typing import Any

from numpy.typing import ArrayLike

from rbdyn.collision.backend import CollisionBackend
from rbdyn.contact import ContactSolver, MaterialTable
from rbdyn.mechanism import Geometry, Mechanism
from rbdyn.world.articulated_system import ArticulatedSystem
from rbdyn.world.object import WorldObject
from rbdyn.world.single_body import SingleBody, _BodyType

class Roster:
    def __init__(self, collision: CollisionBackend) -> None: ...
    @property
    def collision(self) -> CollisionBackend: ...
    @property
    def contact(self) -> ContactSolver: ...
    @property
    def materials(self) -> MaterialTable: ...
    @property
    def objects(self) -> tuple[SingleBody | ArticulatedSystem, ...]: ...
    def find(self, name: str) -> SingleBody | ArticulatedSystem: ...
    def add_single_body(
        self,
        geometries: Iterable[Geometry],
        mass: float,
        inertia: ArrayLike,
        body_type: _BodyType = "dynamic",
        name: str | None = None,
    ) -> SingleBody: ...
    def add_ground(
        self,
        height: float = 0.0,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
    ) -> SingleBody: ...
    def add_sphere(
        self,
        radius: float,
        mass: float,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
    ) -> SingleBody: ...
    def add_box(
        self,
        x: float,
        y: float,
        z: float,
        mass: float,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
    ) -> SingleBody: ...
    def add_cylinder(
        self,
        radius: float,
        height: float,
        mass: float,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
    ) -> SingleBody: ...
    def add_capsule(
        self,
        radius: float,
        height: float,
        mass: float,
        material: str = "default",
        group: int = 1,
        mask: int = -1,
        name: str | None = None,
    ) -> SingleBody: ...
    def add_articulated_system(
        self,
        source: Mechanism | str | os.PathLike[str],
        name: str | None = None,
        self_collision: bool = True,
        **load_options: Any,
    ) -> ArticulatedSystem: ...
    def remove(self, obj: WorldObject | str) -> None: ...
