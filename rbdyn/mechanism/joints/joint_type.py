"""JointType: the questions that every joint type answers, with the answers that most of them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_array, as_vector, choice, shown
from rbdyn.errors import Error
from rbdyn.mechanism.joints.convention import LIBRARIES, Convention
from rbdyn.mechanism.joints.unit_block import unit_block
from rbdyn.spatial.rotations import Array
from rbdyn.spatial.transform import Transform, check_pose

Axis = tuple[float, float, float]


@dataclass(frozen=True)
class JointType:
    """What a joint allows.  Use one of the types below it.

    Attributes
    ----------
    num_positions, num_velocities : int
        Lengths of its q and its v.
    kind : str
        The type's name in lower case.
    num_translations : int
        How many degrees of freedom, the first ones, are translations; the others are rotations.
    num_plain : int
        How many numbers of q, the first ones, have the same entries of v as their rates.
    normalised : slice or None
        The normalised block of q: a quaternion or a pair [sine, cosine], of length 1, or a stereographic projection,
        of length 1 at most.
    periodic : bool
        Whether a whole turn added to its one coordinate is the same pose.
    kernel_kind, representation : int
        What kernels call its motion and the numbers it is written in: JointKind, Representation of model/_model.pxd.
    conventions : mapping of str to Convention
        Other libraries that write q or v in another way.
    """

    num_positions: ClassVar[int] = 0
    num_velocities: ClassVar[int] = 0
    kind: ClassVar[str] = ""
    num_translations: ClassVar[int] = 0
    num_plain: ClassVar[int] = 0
    normalised: ClassVar[slice | None] = None
    periodic: ClassVar[bool] = False
    kernel_kind: ClassVar[int] = -1
    representation: ClassVar[int] = 0
    conventions: ClassVar[Mapping[str, Convention]] = {}

    def __deepcopy__(self, memo: dict[int, object]) -> JointType:
        """Itself: it cannot change."""
        return self

    @classmethod
    def random_type(cls, axes: Array, rng: np.random.Generator) -> JointType:
        """One of this type, of random direction.

        Parameters
        ----------
        axes : (3, 3) ndarray
            A random rotation, whose rows give the directions.
        rng : numpy.random.Generator
            Source of all other chance.
        """
        if not isinstance(rng, np.random.Generator):
            raise Error(f"rng must be a numpy.random.Generator, got {shown(rng)}")
        return cls(**cls._random_parameters(as_array(axes, (3, 3), "axes"), rng))

    @classmethod
    def _random_parameters(cls, axes: Array, rng: np.random.Generator) -> dict[str, Any]:
        """The parameters of `random_type`."""
        return {}

    @property
    def is_fixed(self) -> bool:
        """Whether it allows no motion."""
        return self.num_velocities == 0

    @property
    def is_floating(self) -> bool:
        """Whether it allows every motion."""
        return self.num_velocities == 6

    @property
    def kernel_parameter(self) -> float:
        """The number that kernels need beside the axis, such as a screw's pitch; 0 for types that have none."""
        return 0.0

    @property
    def motion(self) -> str:
        """Kind of the type that moves in the same way, and writes q plainly: "revolute" of SinCosRevolute."""
        return self.kind

    @property
    def has_coordinates(self) -> bool:
        """Whether every degree of freedom is the rate of a number of q in the same place, which can have limits."""
        return 0 < self.num_velocities == self.num_plain

    @property
    def has_limits(self) -> bool:
        """Whether each degree of freedom can have a lower and an upper position limit."""
        return self.has_coordinates

    def coordinates(self, q: Array, limits: Sequence[tuple[float, float]]) -> Array:
        """Return the numbers that position limits bound, of a type that `has_limits`: (num_velocities,) [rad or m].

        Parameters
        ----------
        q : (num_positions,) ndarray
            Configuration of this joint.
        limits : sequence of num_velocities pairs
            Lower and upper limits.  A SinCosRevolute joint has the angle nearest to the middle of them.
        """
        return as_vector(q, self.num_positions, "q")

    def from_coordinates(self, coordinates: Array) -> Array:
        """Return the q of such numbers, (num_positions,).

        Parameters
        ----------
        coordinates : (num_velocities,) ndarray
            As `coordinates` returns them [rad or m].
        """
        return as_vector(coordinates, self.num_velocities, "coordinates")

    @property
    def series(self) -> tuple[tuple[str, JointType], ...]:
        """Joints of one degree of freedom that move so one after the other, with the same q and v.

        Each with an ending for its name; none for what does not move so.  The joint frames are the same.
        """
        return ()

    @property
    def main_axis(self) -> Axis | None:
        """The one direction that it has, in the joint frame: its axis, or its plane's normal; or None."""
        return None

    def neutral(self) -> Array:
        """The configuration at which both joint frames coincide, (num_positions,)."""
        return np.zeros(self.num_positions)

    def canonical_rotation(self) -> Array:
        """The rotation that takes the joint frame to the axes the kernels work in, (3, 3)."""
        return np.eye(3)

    def random(self, rng: np.random.Generator) -> Array:
        """A random configuration: angles in (-pi, pi), distances in (-1, 1) [m], uniform rotations.

        Parameters
        ----------
        rng : numpy.random.Generator
            Source of all chance.

        Returns
        -------
        q : (num_positions,) ndarray of float64
        """
        if not isinstance(rng, np.random.Generator):
            raise Error(f"rng must be a numpy.random.Generator, got {shown(rng)}")
        return self._random(rng)

    def _random(self, rng: np.random.Generator) -> Array:
        return rng.uniform(-1.0, 1.0, self.num_positions)

    def pose(self, q: ArrayLike) -> Transform:
        """Pose of the after-frame in the before-frame at q.

        Parameters
        ----------
        q : (num_positions,) array_like
            Configuration of this joint; quaternions are normalised.
        """
        return self._pose(as_vector(q, self.num_positions, "q"))

    def _pose(self, q: Array) -> Transform:
        return Transform()

    def motion_subspace(self, q: ArrayLike) -> Array:
        """S(q): the twist of the after-frame relative to the before-frame is S v, (6, num_velocities).

        In the axes and at the origin of the after-frame, angular part first.

        Parameters
        ----------
        q : (num_positions,) array_like
            Configuration of this joint.
        """
        return self._motion_subspace(as_vector(q, self.num_positions, "q"))

    def _motion_subspace(self, q: Array) -> Array:
        return np.zeros((6, 0))

    def velocity(self, q: ArrayLike, twist: ArrayLike) -> Array:
        """The v whose twist S(q) v comes nearest to `twist`, (num_velocities,): exactly that if the joint allows it.

        Parameters
        ----------
        q : (num_positions,) array_like
            Configuration of this joint.
        twist : (6,) array_like
            In the axes and at the origin of the after-frame, angular part first.
        """
        return self._velocity(as_vector(q, self.num_positions, "q"), as_vector(twist, 6, "twist"))

    def _velocity(self, q: Array, twist: Array) -> Array:
        return self._motion_subspace(q).T @ twist  # where the columns of S are orthonormal

    def configuration(self, pose: Transform) -> Array:
        """The q whose `pose` comes nearest, (num_positions,): exactly there if the joint can reach it.

        Nearest in translation along the free directions, and in rotation by the trace of the relative rotation.
        Angles are in (-pi, pi].

        Parameters
        ----------
        pose : Transform
            Pose of the after-frame in the before-frame.
        """
        check_pose(pose)
        return self._configuration(pose)

    def _configuration(self, pose: Transform) -> Array:
        return np.zeros(0)

    def flipped(self) -> JointType:
        """The type of the reversed joint, from this one's after-frame to its before-frame.

        One with an axis has it negated, so that the same q and v mean the same motion.
        """
        return self

    def flipped_configuration(self, q: ArrayLike) -> Array:
        """The configuration of the reversed joint at which its frames are where those of this joint are at q.

        Parameters
        ----------
        q : (num_positions,) array_like
            Configuration of this joint.
        """
        return self._flipped_configuration(as_vector(q, self.num_positions, "q"))

    def _flipped_configuration(self, q: Array) -> Array:
        return self.configuration(self._pose(q).inverse())

    def flipped_limits(self, limits: Any) -> Any:
        """Position limits of the reversed joint, of those of this one.

        Parameters
        ----------
        limits : (lower, upper), tuple of them, or None
            As `Joint.position_limits`.
        """
        return limits

    def normalise(self, q: ArrayLike, what: str = "q") -> Array:
        """`q` with its normalised block at its length, as `State.set` does; Error naming `what` if it is far off."""
        return self._normalise(as_vector(q, self.num_positions, str(what)), str(what))

    def _normalise(self, q: Array, what: str) -> Array:
        return q if self.normalised is None else unit_block(q, self.normalised, what)

    def limits_needed(self, limits: tuple[float, float]) -> str:
        """What position limits (lower, upper) of such a joint have to be, if not like `limits`; "" if these will do.

        Parameters
        ----------
        limits : (2,) tuple of float
            Lower and upper one; infinite for none.
        """
        return "" if self.has_limits else "None"

    def convention(self, library: str) -> Convention:
        """How `library` writes the q and v of such a joint."""
        known = self.conventions.get(choice(library, "library", LIBRARIES))
        return Convention(self.num_positions) if known is None else known
