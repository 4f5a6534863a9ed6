"""SpatialInertia: mass, centre of mass and rotational inertia of a rigid body."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_array, as_vector, number, shown
from rbdyn.errors import Error
from rbdyn.spatial.frozen import Frozen
from rbdyn.spatial.rotations import Array, skew
from rbdyn.spatial.transform import Transform, check_pose


class _Solid(Protocol):
    """What has a volume: shapes of rbdyn.collision."""

    @property
    def volume(self) -> float: ...
    @property
    def centroid(self) -> Array: ...
    def inertia(self, mass: float) -> Array: ...


class SpatialInertia(Frozen):
    """The inertia of a rigid body.

    Parameters
    ----------
    mass : float
        Mass [kg], finite, not negative.
    com : (3,) array_like
        Centre of mass in the body frame [m].
    inertia : (3, 3) array_like
        Rotational inertia about the centre of mass, in body axes [kg m^2]; symmetric.

    Raises
    ------
    Error
        If a value is not finite, the mass is negative or the matrix is not symmetric.  Moments that no body has,
        negative ones or one larger than the sum of the others, are accepted (robot files are full of them); see
        `defect`.  Bodies made in a program refuse them.
    """

    __slots__ = ("com", "inertia", "mass")
    _nothing: ClassVar[SpatialInertia]  # of no mass, once somebody needs it
    mass: float
    com: Array
    inertia: Array

    def __init__(self, mass: float, com: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike | None = None) -> None:
        m = number(mass, "mass", low=0.0, unit="[kg]")
        c = as_vector(com, 3, "com", "[m]")
        J = np.zeros((3, 3)) if inertia is None else as_array(inertia, (3, 3), "inertia")
        x, y, z = J.tolist()
        if x[1] == y[0] and x[2] == z[0] and y[2] == z[1]:
            J = J.copy()
        elif np.abs(J - J.T).max() > 1e-9 * max(1.0, float(np.abs(J).max())):
            raise Error(f"inertia must be symmetric, got {J.tolist()}")
        else:
            J = 0.5 * J + 0.5 * J.T
        self._set(mass=m, com=c, inertia=J)

    @classmethod
    def zero(cls) -> SpatialInertia:
        """The inertia of a massless body; the same object each time, as it cannot be changed."""
        if "_nothing" not in cls.__dict__:
            cls._nothing = cls(0.0)
        return cls._nothing

    @classmethod
    def from_shape(cls, shape: _Solid, *, mass: float | None = None, density: float | None = None) -> SpatialInertia:
        """The inertia of a shape of uniform density.

        Parameters
        ----------
        shape : Shape
            One of rbdyn.collision that has a volume, in its own frame.
        mass : float
            [kg]; this or `density`.
        density : float
            [kg/m^3].

        Returns
        -------
        inertia : SpatialInertia
            In the shape's frame; `transformed(geometry.pose)` is that on a body.

        Raises
        ------
        Error
            If not one of `mass` and `density` is given, or the shape encloses nothing.

        Examples
        --------
        >>> from rbdyn.collision import Box
        >>> SpatialInertia.from_shape(Box((1.0, 2.0, 3.0)), density=100.0).mass
        600.0
        """
        if not all(hasattr(shape, name) for name in ("volume", "centroid", "inertia")):
            raise Error(f"shape must be one of rbdyn.collision that has a volume, got {shown(shape)}")
        if (mass is None) == (density is None):
            raise Error("give one of mass and density")
        if mass is None:
            mass = number(density, "density", low=0.0, unit="[kg/m^3]") * shape.volume
        m, c = number(mass, "mass", low=0.0, unit="[kg]"), shape.centroid
        return cls(m, c, shape.inertia(m) - m * (c @ c * np.eye(3) - np.outer(c, c)))

    @property
    def inertia_at_origin(self) -> Array:
        """Rotational inertia about the body frame's origin, (3, 3) [kg m^2] (parallel-axis theorem)."""
        cx = skew(self.com)
        shift = self.mass * cx @ cx
        return self.inertia - 0.5 * (shift + shift.T)

    @property
    def matrix(self) -> Array:
        """The 6x6 spatial inertia about the body frame's origin, angular part first.  RBDA eq. 2.63."""
        M = np.zeros((6, 6))
        M[:3, :3] = self.inertia_at_origin
        M[:3, 3:] = self.mass * skew(self.com)
        M[3:, :3] = M[:3, 3:].T
        M[3:, 3:] = self.mass * np.eye(3)
        return M

    def defect(self) -> str:
        """What makes this inertia unphysical, "" if nothing does.

        Principal moments must not be negative and must obey the triangle inequality; a massless body has none.
        """
        of_moments = self.defect_of_moments()
        if not of_moments and self.mass == 0 and np.abs(self.inertia).max() > 1e-300:
            return "a body without mass has a rotational inertia"
        return of_moments

    def defect_of_moments(self) -> str:
        """What makes the principal moments those of no body; points, rods and plates are bodies, up to rounding."""
        if self._is_ordinary():
            return ""
        moments = np.linalg.eigvalsh(self.inertia)
        scale = max(float(np.abs(moments).max()), 1e-300)
        if moments[0] < -1e-9 * scale:
            return f"a principal moment of inertia is negative: {moments.tolist()} kg m^2"
        if moments[2] > (moments[0] + moments[1]) * (1 + 1e-6) + 1e-12:
            return f"principal moments {moments.tolist()} kg m^2 break the triangle inequality"
        return ""

    def _is_ordinary(self) -> bool:
        """Whether the second moments of mass, tr(J)/2 - J, are clearly positive definite, by Sylvester's criterion.

        Then the moments are positive and obey the triangle inequality.
        """
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.inertia.tolist()
        half = 0.5 * (xx + yy + zz)
        a, b, c, least = half - xx, half - yy, half - zz, 1e-6 * half
        minor = a * b - xy * xy
        det = a * (b * c - yz * yz) - xy * (xy * c + yz * xz) - xz * (xy * yz + b * xz)
        return half > 0.0 and a > least and minor > least * half and det > least * half * half

    def scaled(self, factor: float) -> SpatialInertia:
        """That of a body of the same size and another density.

        Parameters
        ----------
        factor : float
            By which mass and rotational inertia are multiplied, above 0; the centre of mass stays.

        Returns
        -------
        inertia : SpatialInertia
        """
        k = number(factor, "factor", above=0.0)
        return SpatialInertia(k * self.mass, self.com, k * self.inertia)

    def with_mass(self, mass: float) -> SpatialInertia:
        """The same centre of mass and rotational inertia, and another mass [kg]."""
        made = SpatialInertia.__new__(SpatialInertia)
        made._set(mass=number(mass, "mass", low=0.0, unit="[kg]"), com=self.com, inertia=self.inertia)
        return made

    def transformed(self, pose: Transform) -> SpatialInertia:
        """This inertia seen from the frame in which the body frame has pose `pose`."""
        check_pose(pose)
        R = pose.rotation
        return SpatialInertia(self.mass, pose @ self.com, R @ self.inertia @ R.T)

    def __add__(self, other: SpatialInertia) -> SpatialInertia:
        """The inertia of both bodies welded together, in their common frame."""
        if not isinstance(other, SpatialInertia):
            return NotImplemented
        m = self.mass + other.mass
        if m == 0:
            return SpatialInertia(0.0, self.com, self.inertia + other.inertia)
        c = (self.mass * self.com + other.mass * other.com) / m
        J = self.inertia + other.inertia
        for part in (self, other):
            dx = skew(part.com - c)
            J = J - part.mass * dx @ dx
        return SpatialInertia(m, c, J)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SpatialInertia)
            and self.mass == other.mass
            and np.array_equal(self.com, other.com)
            and np.array_equal(self.inertia, other.inertia)
        )

    def __hash__(self) -> int:
        return hash((self.mass, self.com.tobytes(), self.inertia.tobytes()))

    def __repr__(self) -> str:
        return f"SpatialInertia(mass={self.mass:g}, com={self.com.tolist()}, inertia={self.inertia.tolist()})"

    def __deepcopy__(self, memo: dict[int, object]) -> SpatialInertia:
        """Itself: it cannot change."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return SpatialInertia, (self.mass, self.com.copy(), self.inertia.copy())
