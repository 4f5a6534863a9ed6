"""Maps: what an edit turned into what, and the way for a State to follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any, Generic, TypeVar

from rbdyn.arguments import shown
from rbdyn.errors import MechanismError, StateError
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.graph import Graph
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.surgery.before import Before, Change
from rbdyn.spatial.frames import CartesianFrame

S = TypeVar("S")
M = TypeVar("M", bound=Graph)


@singledispatch
def carried(first: object, states: tuple[Any, ...], change: Change) -> Any:
    """The state after `change`, from the `states` before it, chosen by the type of the first of them.

    A mechanism knows no states: rbdyn.model says what this is for its own (model/carry.py).
    """
    raise StateError(f"carry takes States, got {shown(first)}")


@dataclass(frozen=True)
class Maps:
    """What an edit turned into what: old body, joint or frame -> new one.  What is missing stayed what it was.

    Parameters
    ----------
    bodies, joints, frames : dict
        RigidBody -> RigidBody, Joint -> Joint, CartesianFrame -> CartesianFrame.
    """

    bodies: dict[RigidBody, RigidBody] = field(default_factory=dict)
    joints: dict[Joint, Joint] = field(default_factory=dict)
    frames: dict[CartesianFrame, CartesianFrame] = field(default_factory=dict)
    _change: Change | None = field(default=None, init=False, repr=False, compare=False)

    def carry(self, *states: S) -> S:
        """The state after the edit: all bodies where they were, moving as they did.

        A joint of the tree that was in the tree before, and is not reversed, keeps its q and v bit for bit; so does a
        reversed one of one degree of freedom.  Any other joint of the new tree gets the q that comes
        nearest to where its bodies were, and v = S^T times their relative twist.  Where nothing is known, a joint is
        neutral and at rest: bodies that are new, and the mechanism of which no state is given.

        Parameters
        ----------
        *states : State
            Of the mechanism just before the edit; the state may be stale by now.  After `attach_mechanism` also, or
            only, one of the child; the mechanism's own comes first if both are the same.

        Returns
        -------
        state : State
            Of a new Model of the result, the root at its default pose.

        Raises
        ------
        StaleModelError
            If a state is one of another mechanism, or not of the revision just before the edit; or if the result was
            edited again since, other than in its parameters.
        """
        if self._change is None:
            raise MechanismError("these maps come from no edit, and there is no state before it to carry over")
        if not states:
            raise StateError("carry takes one State or more, got none")
        after: S = carried(states[0], states, self._change)
        return after

    def _of(self, result: Graph, *befores: Before) -> Maps:
        """These maps, as those of the edit that led to `result` as it is now."""
        object.__setattr__(self, "_change", Change.of(result, *befores))
        return self


class Split(tuple[M, M], Generic[M]):
    """Both parts that removing a joint left: unpacks as `near, far`.

    Attributes
    ----------
    near, far : Mechanism
        What stayed with the root, and the subtree of the joint.
    maps : tuple of Maps
        From the mechanism as it was to each of them.
    """

    maps: tuple[Maps, Maps]

    def __new__(cls, near: M, far: M, before: Before) -> Split[M]:
        """`near` and `far`, cut apart from what was `before`."""
        split = super().__new__(cls, (near, far))
        split.maps = (Maps()._of(near, before), Maps()._of(far, before))
        return split

    @property
    def near(self) -> M:
        """What stayed with the root: the mechanism itself."""
        return self[0]

    @property
    def far(self) -> M:
        """The subtree of the joint: a new mechanism of the same bodies and joints."""
        return self[1]

    def carry(self, state: Any) -> tuple[Any, Any]:
        """The states of `near` and `far` after the cut: every remaining joint keeps its q and v.

        Parameters
        ----------
        state : State
            Of the mechanism just before the cut.

        Returns
        -------
        near, far : State

        Raises
        ------
        StaleModelError
            As `Maps.carry` does.
        """
        near, far = self.maps
        return near.carry(state), far.carry(state)
