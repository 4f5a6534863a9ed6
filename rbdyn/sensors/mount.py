"""Mount: where on a robot the sensors of a set are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rbdyn.errors import RemovedError

if TYPE_CHECKING:
    from rbdyn.mechanism import RigidBody
    from rbdyn.world import ArticulatedSystem, BodyRef


class Mount:
    """A link of a robot, and the name of the set that is mounted there.

    Parameters
    ----------
    robot : ArticulatedSystem
        Whose.
    body : RigidBody
        The link, of the robot's mechanism.
    name : str
        Of the set.
    """

    def __init__(self, robot: ArticulatedSystem, body: RigidBody, name: str) -> None:
        self.robot, self.body, self.name = robot, body, name
        self.fate = ""  # why the set is not on the robot any more

    @property
    def link(self) -> BodyRef:
        """The link, as the World knows it."""
        return self.robot.body(self.body)

    def check(self) -> None:
        """RemovedError if the robot has left its World, or the link the robot, or the set was taken off."""
        if self.fate:
            raise RemovedError(f"sensor set {self.name!r} {self.fate}")
        self.robot.world  # noqa: B018  raises if it has left
        if self.body not in self.robot.mechanism.bodies:
            raise RemovedError(
                f"link {self.body.name!r}, which sensor set {self.name!r} is mounted on, is not part of "
                f"{self.robot.name!r} any more"
            )
