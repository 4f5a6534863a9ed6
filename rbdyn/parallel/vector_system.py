"""VectorSystem: the articulated systems of one name in many Worlds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from rbdyn.algorithms import integrate
from rbdyn.arguments import as_array, number, plain_array, shown
from rbdyn.errors import Error, StateError, unknown_name
from rbdyn.model import Model, State
from rbdyn.parallel import rows
from rbdyn.parallel.fleet import Fleet, Many
from rbdyn.parallel.selection import Where, chosen, rows_of
from rbdyn.spatial.rotations import Array
from rbdyn.world import ArticulatedSystem, World


class VectorSystem(Many):
    """The articulated systems of one name in many Worlds; found by `VectorWorld.find`.

    It has the names of `ArticulatedSystem`, with a row for each World: fresh arrays, with which the reader may do
    whatever he likes.  What is set once, without the dimension of the Worlds, is set for all of them.

    Parameters
    ----------
    owner : VectorWorld
        Whose they are.
    name : str
        That all of them bear.

    Attributes
    ----------
    name : str
        See above.
    nq, nv : int
        Lengths of q and v.
    num_actuated : int
        Degrees of freedom without those of the base joint: what motors drive.
    """

    __slots__ = ("__weakref__", "_base_q", "_base_v", "_owner", "_robots", "name", "nq", "num_actuated", "nv")
    _kind_of_one, _all_of_them = ArticulatedSystem, "system[k]"

    def __init__(self, owner: Fleet, name: str) -> None:
        self._owner, self.name = owner, name
        self._robots = [cast(ArticulatedSystem, world.find(name)) for world in owner.worlds]
        model = self._robots[0].model
        self.nq, self.nv = model.nq, model.nv
        self._base_q, self._base_v = (7, 6) if model.floating_base else (0, 0)
        self.num_actuated = self.nv - self._base_v

    @property
    def model(self) -> Model:
        """The first one's Model; the others differ in numbers alone."""
        return self._robots[0].model

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the base and the moving bodies."""
        return tuple(self.model.body_names)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the base joint and the moving joints."""
        return tuple(self.model.joint_names)

    def __len__(self) -> int:
        return len(self._robots)

    def __getitem__(self, k: int) -> ArticulatedSystem:
        return self._robots[k]

    def __repr__(self) -> str:
        return f"VectorSystem({self.name!r}, in {len(self)} Worlds, nq {self.nq}, nv {self.nv})"

    def _numbers(self, where: Where) -> list[int]:
        return chosen(where, len(self))

    def _hint(self, name: str) -> str:
        setting = name.removeprefix("set_")
        return f": write set({setting!r}, ...)" if setting in SETTINGS else super()._hint(name)

    def _some(self, where: Where) -> list[ArticulatedSystem]:
        """The robots of these Worlds."""
        return self._robots if where is None else [self._robots[k] for k in self._numbers(where)]

    def _each(self, where: Where, function: Callable[..., Any], **values: Any) -> None:
        """Call it with each of these robots."""
        name = self.name

        def edit(world: World, **row: Any) -> None:
            function(world.find(name), **row)

        self._owner._each(self._numbers(where), edit, **values)

    # ---- state -------------------------------------------------------------------------------

    @property
    def q(self) -> Array:
        """Configurations, (n, nq), fresh."""
        return rows.configurations(self._robots, self.nq)

    @property
    def v(self) -> Array:
        """Velocities, (n, nv), fresh."""
        return rows.speeds(self._robots, self.nv)

    def set_state(self, q: ArrayLike | None = None, v: ArrayLike | None = None, where: Where = None) -> None:
        """Set configurations and velocities, as `ArticulatedSystem.set_state`; what is not given stays.

        Parameters
        ----------
        q : (m, nq) or (nq,) array_like, optional
            Configurations of the m Worlds chosen, or one for all [rad or m].
        v : (m, nv) or (nv,) array_like, optional
            Velocities [rad/s or m/s].
        where : optional
            Which Worlds: a mask (n,) or numbers; all by default.

        Raises
        ------
        StateError, LoopError
            As `ArticulatedSystem.set_state`, naming the World; nothing changes then.
        """
        numbers = self._numbers(where)
        given = {}
        if q is not None:
            given["q"] = rows_of(q, len(numbers), (self.nq,), "q", error=StateError)
        if v is not None:
            given["v"] = rows_of(v, len(numbers), (self.nv,), "v", error=StateError)
        self._each(numbers, ArticulatedSystem.set_state, **given)
        self._owner._goes_on(numbers)

    def random_states(self, spread: float = 0.1, speed: float = 0.1, where: Where = None) -> tuple[Array, Array]:
        """States near the present ones, drawn from each World's own `World.random`.

        Parameters
        ----------
        spread : float
            Joint positions move by up to this, either way [rad or m]; a base stays where it is.
        speed : float
            Joint velocities become up to this, either way [rad/s or m/s]; those of a base become 0.
        where : optional
            Which Worlds.

        Returns
        -------
        q, v : (m, nq) and (m, nv) ndarray of float64
            For `set_state`, fresh; joints are within their limits.
        """
        spread, speed = number(spread, "spread", low=0.0), number(speed, "speed", low=0.0)
        numbers = self._numbers(where)
        q, v = np.empty((len(numbers), self.nq)), np.zeros((len(numbers), self.nv))
        for i, k in enumerate(numbers):
            robot, rng = self._robots[k], self._owner.worlds[k].random
            change = np.zeros(self.nv)
            change[self._base_v :] = rng.uniform(-spread, spread, self.num_actuated)
            v[i, self._base_v :] = rng.uniform(-speed, speed, self.num_actuated)
            q[i] = _within_limits(robot, integrate(robot.model, robot.q, change, 1.0))
        return q, v

    def body_poses(self, bodies: Sequence[str] | None = None, where: Where = None) -> Array:
        """World poses of bodies, joints or frames.

        Parameters
        ----------
        bodies : sequence of str, optional
            Names; `body_names` by default.
        where : optional
            Which Worlds.

        Returns
        -------
        poses : (m, len(bodies), 4, 4) ndarray of float64
            Fresh.
        """
        return rows.body_poses(self._some(where), self._bodies(bodies))

    def body_velocities(self, bodies: Sequence[str] | None = None, where: Where = None) -> Array:
        """How bodies move.

        Parameters
        ----------
        bodies : sequence of str, optional
            Names; `body_names` by default.
        where : optional
            Which Worlds.

        Returns
        -------
        velocities : (m, len(bodies), 6) ndarray of float64
            Angular velocity, then that of the origin, world axes, fresh [rad/s, m/s].
        """
        return rows.body_velocities(self._some(where), self._bodies(bodies))

    def contact_forces(self, bodies: Sequence[str] | None = None, where: Where = None) -> Array:
        """Mean contact forces on links over the latest step, as `ArticulatedSystem.contact_force`.

        Parameters
        ----------
        bodies : sequence of str, optional
            Names of links, each with its own shapes: also of those that a fixed joint merges into another.
            `body_names` by default.
        where : optional
            Which Worlds.

        Returns
        -------
        forces : (m, len(bodies), 3) ndarray of float64
            World axes, fresh [N].
        """
        names = self._bodies(bodies)
        known = {body.name for body in self._robots[0].mechanism.bodies}
        for name in names:
            if name not in known:
                raise unknown_name("link", name, known, f"{self.name!r}")
        if len(set(names)) < len(names):
            raise Error(f"bodies must name each link once, got {shown(bodies)}")
        worlds = [self._owner.worlds[k] for k in self._numbers(where)]
        return rows.contact_forces(worlds, self._some(where), {name: i for i, name in enumerate(names)})

    def _bodies(self, bodies: Sequence[str] | None) -> list[str]:
        if isinstance(bodies, str):
            raise Error(f"bodies must be a sequence of names, got the string {bodies!r}; write [{bodies!r}]")
        return list(self.body_names) if bodies is None else list(bodies)

    # ---- control -----------------------------------------------------------------------------

    def set_pd_target(self, q: ArrayLike | None = None, v: ArrayLike | None = None, where: Where = None) -> None:
        """Set targets of the PD controllers, as `ArticulatedSystem.set_pd_target`; what is not given stays.

        Parameters
        ----------
        q : (m, nq) or (m, nq - base) array_like, optional
            Configurations [rad or m]; without the 7 entries of a floating base, which have no effect.  One row, without
            the dimension of the Worlds, is for all.
        v : (m, nv) or (m, num_actuated) array_like, optional
            Velocities [rad/s or m/s].
        where : optional
            Which Worlds.

        Raises
        ------
        StateError
            As `ArticulatedSystem.set_pd_target`, naming the row; nothing changes then.
        """
        robots = self._some(where)
        new_q = None if q is None else self._wide(q, len(robots), self.nq, self._base_q, "q")
        new_v = None if v is None else self._wide(v, len(robots), self.nv, self._base_v, "v")
        if new_q is not None:
            self._make_unit(new_q)
        rows.put_targets(robots, new_q, new_v, self.nq, self.nv)

    def _make_unit(self, q: Array) -> None:
        """Quaternions of targets of unit length; of a target without a base the base is put before it for that."""
        if q.shape[1] == self.nq:
            rows.unit(self.model, q, "q")
        elif self.nq - self._base_q != self.num_actuated:
            whole_q = np.tile(np.asarray(self.model.neutral()), (len(q), 1))
            whole_q[:, self._base_q :] = q
            rows.unit(self.model, whole_q, "q")
            q[:] = whole_q[:, self._base_q :]

    def set_generalized_force(self, tau: ArrayLike, where: Where = None) -> None:
        """Set feed-forward forces, which stay until changed.

        Parameters
        ----------
        tau : (m, nv) or (m, num_actuated) array_like
            [N m or N]; with num_actuated columns, the base is left out.  One row is for all.
        where : optional
            Which Worlds.

        Raises
        ------
        StateError
            If a shape is wrong or a number is not finite; nothing changes then.
        """
        robots = self._some(where)
        rows.put_forces(robots, self._wide(tau, len(robots), self.nv, self._base_v, "tau"), self.nv)

    def _wide(self, x: ArrayLike, m: int, width: int, base: int, name: str) -> Array:
        """(m, width) or (m, width - base) numbers; one row is for all."""
        shape = plain_array(x, name, error=StateError).shape
        narrow = base > 0 and shape[-1:] == (width - base,)
        if shape[-1:] != (width,) and not narrow:
            need = f"({m}, {width})" + (f" or ({m}, {width - base})" if base else "")
            raise StateError(f"{name} must have shape {need}, got shape {shape}")
        columns = width - base if narrow else width
        if len(shape) == 1:
            return rows_of(x, m, (columns,), name, error=StateError)
        return as_array(x, (m, columns), name, error=StateError)

    @property
    def pd_target(self) -> tuple[Array, Array]:
        """Target configurations (n, nq) and velocities (n, nv), fresh."""
        return rows.targets(self._robots, self.nq), rows.read(self._robots, "v_ref", self.nv)

    @property
    def pd_gains(self) -> tuple[Array, Array]:
        """Position and velocity gains, two (n, nv) arrays, fresh."""
        return rows.read(self._robots, "kp", self.nv), rows.read(self._robots, "kd", self.nv)

    @property
    def generalized_force(self) -> Array:
        """Feed-forward forces, (n, nv), fresh [N m or N]."""
        return rows.read(self._robots, "tau", self.nv)

    @property
    def applied_force(self) -> Array:
        """What the actuators really applied in the latest step, (n, nv), fresh [N m or N]."""
        return rows.read(self._robots, "applied", self.nv)

    # ---- forces and parameters ---------------------------------------------------------------

    def set_external_force(
        self, body: str, force: ArrayLike, point: ArrayLike | None = None, where: Where = None
    ) -> None:
        """Apply a force to a body of each for one step, as `ArticulatedSystem.set_external_force`.

        Parameters
        ----------
        body : str
            Which.
        force : (m, 3) or (3,) array_like
            World axes [N].
        point : (m, 3) or (3,) array_like, optional
            Where, in the body's frame [m].
        where : optional
            Which Worlds.
        """
        numbers = self._numbers(where)
        given = {"force": rows_of(force, len(numbers), (3,), "force")}
        if point is not None:
            given["point"] = rows_of(point, len(numbers), (3,), "point")
        self._each(numbers, lambda robot, **row: robot.set_external_force(body, **row), **given)

    def set_body(
        self,
        body: str,
        mass: ArrayLike | None = None,
        com: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        where: Where = None,
    ) -> None:
        """Change mass, centre of mass and inertia of a link, without building anew; what is not given stays.

        Parameters
        ----------
        body : str
            Which.
        mass : (m,) array_like or float, optional
            [kg]; the inertia about the centre of mass stays, unless it is given.
        com : (m, 3) or (3,) array_like, optional
            Centre of mass in the link's frame [m].
        inertia : (m, 3, 3) or (3, 3) array_like, optional
            About the centre of mass, axes of the link's frame [kg m^2].
        where : optional
            Which Worlds.

        Raises
        ------
        Error
            If a row is no inertia of a body; the error names it, and nothing changes.
        """
        numbers = self._numbers(where)
        shapes = {"mass": (mass, ()), "com": (com, (3,)), "inertia": (inertia, (3, 3))}
        given = {
            name: rows_of(value, len(numbers), shape, name)
            for name, (value, shape) in shapes.items()
            if value is not None
        }

        self._each(numbers, lambda robot, **row: robot.body(body).set_inertia(**row), **given)

    def set(self, setting: str, where: Where = None, **values: ArrayLike) -> None:
        """Change numbers of joints by a setter of `ArticulatedSystem`, without building anew.

        Parameters
        ----------
        setting : str
            Name of one of its ``set_`` methods that take numbers of joints: "pd_gains", "effort_limits",
            "joint_limits", "velocity_limits", "joint_friction", "joint_damping", "joint_springs", "no_load_speeds",
            "limit_softness".
        where : optional
            Which Worlds.
        **values : float, (nv,) or (m, nv) array_like
            Arguments of that method: one for all Worlds, or with a row for each of the m chosen ones.  Infinite
            limits are allowed where that method allows them.

        Raises
        ------
        StateError
            As that method does, naming the World; nothing changes then.

        Examples
        --------
        >>> robot.set("joint_damping", damping=rng.uniform(0.0, 0.3, (64, robot.nv)))  # doctest: +SKIP
        >>> robot.set("pd_gains", p=80.0, d=2.0)  # doctest: +SKIP
        """
        if not isinstance(setting, str) or setting not in SETTINGS:
            raise unknown_name("setting", setting, SETTINGS)
        if not values:
            raise StateError(f"set({setting!r}) must be given what to set, as set_{setting} of each is")
        numbers = self._numbers(where)
        given = {name: _per_world(value, len(numbers), name) for name, value in values.items()}
        method = getattr(ArticulatedSystem, f"set_{setting}")
        self._each(numbers, method, **given)


SETTINGS = (
    "pd_gains",
    "effort_limits",
    "joint_limits",
    "velocity_limits",
    "joint_friction",
    "joint_damping",
    "joint_springs",
    "no_load_speeds",
    "limit_softness",
)


def _per_world(value: Any, m: int, name: str) -> list[Any]:
    """What each World is given: a row of a matrix, or the same."""
    given = plain_array(value, name, error=StateError)
    if given.ndim < 2:
        return [value] * m
    if given.ndim > 2 or len(given) != m:
        raise StateError(f"{name} must be a number, (nv,), or have a row for each of {m} Worlds, got {given.shape}")
    return list(given)


def _within_limits(robot: ArticulatedSystem, q: Array) -> Array:
    """q with every joint that has limits brought into them."""
    lower, upper = robot.joint_limits
    state = State(robot.model)
    state.set(q)
    q = np.array(state.q)
    for joint in robot.model.mechanism.tree_joints:
        kind = joint.joint_type
        if kind.has_limits and joint.name in robot.model.joint_names:
            k, i = robot.model.joint_q_index(joint), robot.model.joint_v_index(joint)
            part, place = slice(k, k + kind.num_positions), slice(i, i + kind.num_velocities)
            low, high = lower[place], upper[place]
            x = kind.coordinates(q[part], tuple(zip(low, high, strict=True)))
            if (x < low).any() or (x > high).any():
                q[part] = kind.from_coordinates(np.clip(x, low, high))
    return q
