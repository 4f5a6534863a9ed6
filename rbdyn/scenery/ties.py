"""Ties: what joins bodies without being a shape: wires, and the joints that close loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbdyn.mechanism import Joint, Mechanism
from rbdyn.scenery.frames import FramePlace, Key
from rbdyn.spatial.transform import Transform
from rbdyn.world import ArticulatedSystem, World
from rbdyn.world.constraints.body_joint import BodyJoint
from rbdyn.world.constraints.wire import Wire

Array = NDArray[np.float64]


class Tie(NamedTuple):
    """A wire, or a joint that closes a loop or joins two objects of a World.

    Parameters
    ----------
    name : str
        Of the wire; "MECHANISM/JOINT" of a joint of a mechanism.
    kind : {"wires", "loops"}
        Which of both.
    ends : tuple of FramePlace
        Of a wire its points, in their order; of a joint its frame on each of both bodies, which coincide while it is
        closed and its coordinates are 0.
    axis : (3,) tuple of float
        Of a joint's motion, in both frames; zero of a wire, and of a joint that moves otherwise.
    """

    name: str
    kind: str
    ends: tuple[FramePlace, ...]
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def points(self, carriers: Array) -> Array:
        """Where its ends are, (n, 3) [m].

        Parameters
        ----------
        carriers : (k, 4, 4) ndarray
            World poses of the scenery's carriers [m].
        """
        return np.array([pose[:3, 3] for pose in self.poses(carriers)])

    def poses(self, carriers: Array) -> Array:
        """World poses of its ends, (n, 4, 4) [m].

        Parameters
        ----------
        carriers : (k, 4, 4) ndarray
            As for `points`.
        """
        return np.array([e.pose if e.carrier < 0 else carriers[e.carrier] @ e.pose for e in self.ends])

    def axes(self, carriers: Array, length: float) -> Array:
        """Where its axis is, seen from either body: from where to where, (2, 2, 3) [m]; none of what has no axis.

        Parameters
        ----------
        carriers : (k, 4, 4) ndarray
            As for `points`.
        length : float
            Half of what is to be seen of it [m].
        """
        if not any(self.axis):
            return np.empty((0, 2, 3))
        X = self.poses(carriers)
        at, along = X[:, :3, 3], X[:, :3, :3] @ np.array(self.axis)
        return np.stack([at - length * along, at + length * along], axis=1)


def ties_of_world(world: World, frames: Mapping[Key, FramePlace], only: Any = None) -> Iterator[Tie]:
    """Those of a World, or of one of its objects alone."""
    for obj in world.objects if only is None else (only,):
        if isinstance(obj, ArticulatedSystem):
            yield from ties_of_mechanism(obj.name, obj.model.mechanism, frames)
    if only is not None:
        return
    for one in world.constraints:
        places = [frames[key] if (key := key_of(end)) is not None else WORLD for end in one.ends]
        if isinstance(one, Wire):
            at = [Transform(translation=mount).matrix for mount in one.mounts]
            yield Tie(one.name, "wires", _ends(places, at))
        elif isinstance(one, BodyJoint):
            axis = (0.0, 0.0, 0.0) if one.joint is None else axis_of(one.joint)
            yield Tie(one.name, "loops", _ends(places, [pose.matrix for pose in one.poses]), axis)


WORLD = FramePlace(-1, np.eye(4))


def key_of(end: Any) -> Key | None:
    """Object and body of an end of a constraint; None is the world."""
    if end is None:
        return None
    return (end[0].name, end[1]) if isinstance(end, tuple) else (end.name, end.name)


def ties_of_mechanism(name: str, mechanism: Mechanism, frames: Mapping[Key, FramePlace]) -> Iterator[Tie]:
    """The joints of a mechanism that close loops."""
    for joint in mechanism.non_tree_joints:
        edge = mechanism.edge(joint)
        places = [frames[name, body.name] for body in (edge.predecessor, edge.successor)]
        poses = [edge.joint_pose.matrix, edge.successor_pose.inverse().matrix]
        yield Tie(f"{name}/{joint.name}", "loops", _ends(places, poses), axis_of(joint))


def axis_of(joint: Joint) -> tuple[float, float, float]:
    """Of its motion; zero if it has several."""
    x, y, z = joint.joint_type.main_axis or (0.0, 0.0, 0.0)
    return float(x), float(y), float(z)


def _ends(places: list[FramePlace], local: list[Array]) -> tuple[FramePlace, ...]:
    return tuple(FramePlace(p.carrier, p.pose @ X) for p, X in zip(places, local, strict=True))
