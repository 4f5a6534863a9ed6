"""Ref: what all handles have in common: the robot, and the thing of its mechanism that they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from rbdyn.errors import Error, RemovedError
from rbdyn.mechanism import Mechanism
from rbdyn.world import hints

if TYPE_CHECKING:
    from rbdyn.world.objects.articulated_system import ArticulatedSystem


class Gone:
    """Stands in the place of the robot of a handle whose thing is no more: whatever is asked of it, it says why."""

    def __init__(self, fate: str) -> None:
        self.__dict__["fate"] = fate

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        raise RemovedError(self.fate)


def named(robot: ArticulatedSystem, kind: str, name: str) -> Ref:
    """The handle of this kind and name; pickles of handles call this: a handle of a copy belongs to the copy."""
    handle: Ref = getattr(robot, kind)(name)
    return handle


class Ref:
    """A handle: something of a robot, by name; made by the robot, the same object for the same name.

    Handles hold no numbers: what they say is read from the robot when it is asked for.  Once the robot has left its
    World they raise RemovedError.

    Attributes
    ----------
    name : str
        What the mechanism calls it.
    """

    __slots__ = ("__weakref__", "_held", "_item")
    kind = "thing"
    _advice: ClassVar[tuple[dict[str, str], ...]] = (hints.REF,)
    _item: Any
    _held: ArticulatedSystem  # or Gone

    def __init__(self) -> None:
        raise Error('handles are made by a robot: call robot.body("LF_SHANK"), robot.joint("LF_KFE")')

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError as error:
            hints.no_setter(self, name, error)

    def __getattr__(self, name: str) -> NoReturn:
        hints.no_attribute(self, name)

    def _of(self, item: Any) -> None:
        """Take in what the handle stands for."""
        self._item = item

    def _follow(self, robot: ArticulatedSystem, item: Any) -> None:
        """It stands for `item` of `robot` from now on: what surgery made of it."""
        self._held = robot
        self._of(item)

    def _end(self, fate: str) -> None:
        """It stands for nothing any more; `fate` is what RemovedError says."""
        self._held = Gone(fate)  # type: ignore[assignment]

    @property
    def _robot(self) -> ArticulatedSystem:
        """The robot, with what was edited of its mechanism: all that a handle reads and sets goes through this."""
        self._held._take_in_edits()
        return self._held  # surgery may have given the handle another robot, or none

    @property
    def name(self) -> str:
        """What the mechanism calls it."""
        return str(self._item.name)

    @property
    def _mechanism(self) -> Mechanism:
        """The robot's, once it is known to be in its World."""
        mechanism: Mechanism = self._robot._placed.model.mechanism
        return mechanism

    @property
    def _thing(self) -> Any:
        """What it stands for, once that is known to be in a World."""
        self._held._handles_here  # noqa: B018  raises once it is removed
        return self._item

    @property
    def stands_for(self) -> Any:
        """The RigidBody, Joint or CartesianFrame of the robot's mechanism, wherever a name is taken too."""
        return self._thing

    @property
    def robot(self) -> ArticulatedSystem:
        """The ArticulatedSystem that it belongs to."""
        self._held._handles_here  # noqa: B018  raises once it is removed
        return self._held

    def __reduce__(self) -> tuple[object, ...]:
        return named, (self.robot, self.kind, self.name)

    def __repr__(self) -> str:
        robot = self._held
        of = "removed" if isinstance(robot, Gone) else f"of {robot.name!r}"
        return f"{type(self).__name__}({self.name!r} {of})"
