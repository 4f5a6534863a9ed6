"""Controlled: a joint's limits, passive elements, gains, targets and forces, as the robot has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.arguments import as_array
from rbdyn.errors import StateError
from rbdyn.mechanism import Joint
from rbdyn.spatial.rotations import Array
from rbdyn.world.objects.handles.moving import Moving


class Controlled(Moving):
    """What a JointRef says of its degrees of freedom; numbers of one, arrays of several."""

    __slots__ = ()
    _item: Joint

    def _in_q(self) -> slice:
        first = self._robot._placed.model.joint_q_index(self._item.name)
        return slice(first, first + self._item.num_positions)

    def _in_v(self) -> slice:
        first = self._robot._placed.model.joint_v_index(self._item.name)
        return slice(first, first + self._item.num_velocities)

    def _one_of(self, values: Array) -> Any:
        """A number for one, a read-only array of its own for several."""
        if len(values) == 1:
            return float(values[0])
        own = values.copy()
        own.flags.writeable = False
        return own

    def _put(self, whole: Array, place: slice, value: ArrayLike, what: str) -> Array:
        """All the robot's numbers with this joint's exchanged."""
        new, n = np.array(whole), place.stop - place.start
        one: Any = value if hasattr(value, "__len__") or n > 1 else [value]
        new[place] = as_array(one, (n,), f"{what} of joint {self.name!r}", error=StateError)
        return new

    # ---- limits ----------------------------------------------------------------------------------

    @property
    def limits(self) -> Any:
        """Position limits (lower, upper) [rad or m], which may be infinite; None for no limits when set.

        Of a joint with several degrees of freedom a tuple of such pairs, one for each, as `Joint.position_limits`.
        """
        lower, upper = self._robot.joint_limits
        place = self._in_v()
        pairs = tuple(zip(lower[place].tolist(), upper[place].tolist(), strict=True))
        return pairs[0] if len(pairs) == 1 else pairs

    @limits.setter
    def limits(self, value: Any) -> None:
        self._robot.set_joint_limits(joints={self.name: value})

    @property
    def velocity_limit(self) -> Any:
        """Largest speed [rad/s or m/s], which may be infinite; None for no limit when set."""
        return self._one_of(self._robot.velocity_limits[self._in_v()])

    @velocity_limit.setter
    def velocity_limit(self, value: float | None) -> None:
        self._robot.set_velocity_limits(joints={self.name: value})

    @property
    def effort_limits(self) -> tuple[Any, Any]:
        """Least and largest force of its actuator [N m or N]; when set, a number stands for (-number, number)."""
        lower, upper = self._robot.effort_limits
        place = self._in_v()
        return self._one_of(lower[place]), self._one_of(upper[place])

    @effort_limits.setter
    def effort_limits(self, value: float | tuple[ArrayLike, ArrayLike]) -> None:
        self._robot.set_effort_limits(joints={self.name: value})

    # ---- passive elements --------------------------------------------------------------------------

    @property
    def damping(self) -> Any:
        """Viscous [N m s/rad or N s/m]."""
        return self._one_of(self._robot.joint_damping[self._in_v()])

    @damping.setter
    def damping(self, value: float) -> None:
        self.set(damping=value)

    @property
    def friction(self) -> Any:
        """Dry, while sliding [N m or N]."""
        return self._one_of(self._robot.joint_friction[0][self._in_v()])

    @friction.setter
    def friction(self, value: float) -> None:
        self.set(friction=value)

    @property
    def static_friction(self) -> Any:
        """Dry, at rest [N m or N]."""
        return self._one_of(self._robot.joint_friction[1][self._in_v()])

    @static_friction.setter
    def static_friction(self, value: float | None) -> None:
        self.set(static_friction=value)

    @property
    def stiffness(self) -> Any:
        """Of its spring [N m/rad or N/m]."""
        return self._one_of(self._robot.joint_springs[0][self._in_v()])

    @stiffness.setter
    def stiffness(self, value: float) -> None:
        self.set(stiffness=value)

    @property
    def spring_reference(self) -> Any:
        """Where its spring is at rest [rad or m]."""
        return self._one_of(self._robot.joint_springs[1][self._in_q()])

    @spring_reference.setter
    def spring_reference(self, value: ArrayLike) -> None:
        self.set(spring_reference=np.atleast_1d(value))

    @property
    def rotor_inertia(self) -> float:
        """Reflected inertia of its rotor (armature) [kg m^2 or kg]."""
        return self._thing.rotor_inertia

    @rotor_inertia.setter
    def rotor_inertia(self, value: float) -> None:
        self.set(rotor_inertia=value)

    def set(self, **values: Any) -> None:
        """Change several parameters of the joint at once, between steps; what is not given stays.

        They are written into the robot's mechanism, and act from the next step on.

        Parameters
        ----------
        **values
            Those of a Joint: `damping`, `friction`, `static_friction`, `static_threshold`, `stiffness`,
            `spring_reference`, `rotor_inertia`, `position_limits`, `limit_restitution`, `limit_softness`,
            `velocity_limit`, `effort_limit`, `no_load_speed`, `cone_limit`, `twist_limits`, `twist_axis`, `mimic`, and
            `axis`, in the joint's own frames.

        Raises
        ------
        MechanismError
            If a value is wrong, or the mass matrix would be singular; nothing changes then.
        BusyError
            While the World steps, or between the halves of a step.
        """
        self._robot.world._edits.set_joint(self._robot, self._thing, **values)

    # ---- control -----------------------------------------------------------------------------------

    @property
    def gains(self) -> tuple[Any, Any]:
        """P and D gain [N m/rad or N/m, N m s/rad or N s/m]; setting them switches PD control on."""
        p, d = self._robot.pd_gains
        place = self._in_v()
        return self._one_of(p[place]), self._one_of(d[place])

    @gains.setter
    def gains(self, value: tuple[ArrayLike, ArrayLike]) -> None:
        self._robot.set_pd_gains(joints={self.name: value})

    @property
    def target(self) -> Any:
        """Position to which PD control leads it [rad or m]."""
        return self._one_of(self._robot.pd_target[0][self._in_q()])

    @target.setter
    def target(self, value: ArrayLike) -> None:
        self._robot.set_pd_target(joints={self.name: value})

    @property
    def target_velocity(self) -> Any:
        """Velocity of that target [rad/s or m/s]."""
        return self._one_of(self._robot.pd_target[1][self._in_v()])

    @target_velocity.setter
    def target_velocity(self, value: ArrayLike) -> None:
        self._robot.set_pd_target(v=self._put(self._robot.pd_target[1], self._in_v(), value, "target_velocity"))

    @property
    def force(self) -> Any:
        """Feed-forward force [N m or N], which stays until changed."""
        return self._one_of(self._robot.generalized_force[self._in_v()])

    @force.setter
    def force(self, value: ArrayLike) -> None:
        self._robot.set_generalized_force(joints={self.name: value})

    @property
    def applied_force(self) -> Any:
        """What its actuator really applied in the latest step [N m or N]."""
        return self._one_of(self._robot.applied_force[self._in_v()])

    @property
    def effort(self) -> Any:
        """The same as `applied_force`, by the word of `effort_limits` [N m or N]."""
        return self.applied_force
