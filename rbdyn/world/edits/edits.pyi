from typing import Any

from numpy.typing import ArrayLike

from rbdyn.mechanism import Geometry, Joint, RigidBody
from rbdyn.spatial.transform import Transform
from rbdyn.world.objects.articulated_system import ArticulatedSystem
from rbdyn.world.objects.object import WorldObject
from rbdyn.world.objects.single_body import SingleBody
from rbdyn.world.registry.registry import Registry

class Edits:
    def __init__(self, registry: Registry) -> None: ...
    def renew(self, robot: ArticulatedSystem) -> None: ...
    def set_body(
        self,
        robot: ArticulatedSystem,
        body: RigidBody,
        mass: float | None = None,
        com: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
    ) -> None: ...
    def set_joint(self, robot: ArticulatedSystem, joint: Joint, **values: Any) -> None: ...
    def place_joint(
        self,
        robot: ArticulatedSystem,
        joint: Joint,
        joint_pose: Transform | None = None,
        successor_pose: Transform | None = None,
    ) -> None: ...
    def set_single(
        self,
        body: SingleBody,
        mass: float | None = None,
        com: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
    ) -> None: ...
    def set_geometry(self, obj: WorldObject, body: RigidBody | None, index: int, **values: Any) -> None: ...
    def add_geometry(self, obj: WorldObject, body: RigidBody | None, geometry: Geometry) -> None: ...
    def remove_geometry(self, obj: WorldObject, body: RigidBody | None, index: int) -> None: ...
    def ignore_collision(self, a: Any, b: Any, ignored: bool) -> None: ...
    def set_filters(
        self,
        robot: ArticulatedSystem,
        self_collision: bool | None = None,
        collide_with_parent: bool | None = None,
        contacts_per_self_pair: int | None = None,
    ) -> None: ...
    def filters_of(self, robot: ArticulatedSystem) -> tuple[bool, bool, int]: ...
