from collections.abc import Callable
from typing import Any

from rbdyn.mechanism import Joint, Mechanism, RigidBody
from rbdyn.spatial.transform import Transform
from rbdyn.world.objects.articulated_system import ArticulatedSystem
from rbdyn.world.registry.registry import Registry
from rbdyn.world.surgery.operations import AnyBody, AnyJoint
from rbdyn.world.surgery.plan import Plan

class Surgery:
    def __init__(self, registry: Registry) -> None: ...
    @staticmethod
    def attach(
        robot: ArticulatedSystem,
        mechanism: Mechanism | RigidBody,
        body: AnyBody,
        joint: Joint,
        joint_pose: Transform | None,
        successor_pose: Transform | None,
        prefix: str,
    ) -> Any: ...
    @staticmethod
    def remove_joint(robot: ArticulatedSystem, joint: AnyJoint, split: bool, name: str | None) -> Any: ...
    @staticmethod
    def remove_subtree(robot: ArticulatedSystem, joint: AnyJoint) -> None: ...
    @staticmethod
    def remove_fixed_joints(robot: ArticulatedSystem) -> None: ...
    @staticmethod
    def replace_joint(robot: ArticulatedSystem, joint: AnyJoint, new: Joint, tolerance: float) -> None: ...
    @staticmethod
    def weld(robot: ArticulatedSystem, joint: AnyJoint) -> None: ...
    @staticmethod
    def unweld(robot: ArticulatedSystem, joint: AnyJoint) -> None: ...
    def exchange(self, robots: list[Any], edit: Callable[[], Plan]) -> Any: ...
    def as_robot(self, body: Any, operation: Callable[[Any], Any]) -> Any: ...
