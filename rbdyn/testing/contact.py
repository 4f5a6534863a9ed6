"""Law tests for any contact solver: the interface is its test suite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rbdyn.contact import ContactSolver, Problem
from rbdyn.errors import ContactError
from rbdyn.testing.friction import cone_excess, slip_error
from rbdyn.testing.rows import check_rows


@dataclass
class Case:
    """A problem, and the numbers needed to judge its solution without the code under test."""

    name: str
    problem: Problem
    G: np.ndarray  # (3n, 3n) [1/kg]
    bodies: Bodies | None = None

    def block(self, i: int) -> np.ndarray:
        """(3, 3) own part of contact i."""
        return self.G[3 * i : 3 * i + 3, 3 * i : 3 * i + 3]


@dataclass
class Bodies:
    """Free bodies behind a problem."""

    inverse_mass: np.ndarray  # (m,) [1/kg]
    inverse_inertia: np.ndarray  # (m, 3, 3) [1/(kg m^2)], world axes
    position: np.ndarray  # (m, 3) centres of mass [m]
    point: np.ndarray  # (n, 3) contact points [m]
    a: np.ndarray  # (n,) body on side A
    b: np.ndarray  # (n,) body on side B
    frame: np.ndarray  # (n, 3, 3)


def check_contact_solver(
    solver: ContactSolver,
    *,
    tolerance: float = 1e-6,
    energy_tolerance: float = 1e-6,
    friction_law: str | None = None,
    seeds: int = 5,
) -> None:
    """Hold a contact solver to the laws of hard contact on random problems.

    The laws: Signorini (no penetration, no pulling, no impulse on an opening contact), the friction cone, the direction
    of slip, no gain of energy, and momentum.  For a solver that declares more `laws`, those of unilateral and bilateral
    rows, boxes and discs: on blocks alone, compliant ones, redundant ones, masses as 1000 to 1, mixtures, and beside
    contacts.  The solver's warm start and sweep direction are as before afterwards.

    Parameters
    ----------
    solver : ContactSolver
        A built-in solver, or an instance of your own class.
    tolerance : float
        Allowed violation of Signorini, cone, direction and momentum, relative to the largest free velocity.
    energy_tolerance : float
        Allowed gain of energy, relative to the square of that velocity over the mobility of the contacts.
    friction_law : {"coulomb", "raisim"}, optional
        Which direction of slip to expect; ``solver.friction_law`` if it has one, else "coulomb".
    seeds : int
        Random problems of every kind.

    Raises
    ------
    ContactError
        Naming the law that fails, the problem, and by how much.
    """
    if not isinstance(solver, ContactSolver):
        raise ContactError(f"solver must be a ContactSolver, got {type(solver).__name__}")
    law = friction_law or getattr(solver, "friction_law", "coulomb")
    if law not in ("coulomb", "raisim"):
        raise ContactError(f"friction_law must be 'coulomb' or 'raisim', got {law!r}")
    state = solver.get_state()
    try:
        for seed in range(seeds):
            for case in cases(np.random.default_rng(seed)):
                solver.reset()
                case.problem.impulse[:] = 0.0
                if case.problem.n > 0:
                    solver.solve(case.problem)
                check_laws(case, law, tolerance, energy_tolerance)
                for _ in range(2):  # the second step starts from the first one's impulses, and sweeps the other way
                    solver.step(case.problem)
                    check_laws(case, law, tolerance, energy_tolerance)
            check_rows(solver, np.random.default_rng(seed), law, tolerance, energy_tolerance)
    finally:
        solver.set_state(state)


def cases(rng: np.random.Generator) -> Iterator[Case]:
    """Problems of every kind: none, one and several contacts, with and without friction, matrices and bodies."""
    yield from_matrix("no contacts", rng, 0, 0.5)
    for n in (1, 2, 5):
        for friction in (0.0, 0.3, 1.5):
            yield from_matrix(f"{n} contacts, friction {friction}", rng, n, friction)
    yield from_matrix("4 contacts of mixed friction", rng, 4, rng.uniform(0.0, 1.0, 4))
    yield between_bodies(rng, 4, 3)


def from_matrix(name: str, rng: np.random.Generator, n: int, friction: float | np.ndarray) -> Case:
    """n contacts coupled by a random matrix of moderate condition."""
    A = rng.normal(size=(3 * n, 6 * n))
    G = A @ A.T / max(1, 6 * n) + 0.2 * np.eye(3 * n)
    v = rng.normal(size=(n, 3))
    v[:, 2] -= 0.7
    return Case(name, Problem(G, v, friction, key=np.arange(1, n + 1)), G)


def between_bodies(rng: np.random.Generator, m: int, n: int) -> Case:
    """n contacts along a chain of m free bodies."""
    a = np.arange(n) % m
    b = (a + 1) % m
    mass = rng.uniform(0.5, 2.0, m)
    turn = np.array([rotation(rng) for _ in range(m)])
    inverse_inertia = np.einsum("kij,kj,klj->kil", turn, 1.0 / (mass[:, None] * rng.uniform(0.1, 0.4, (m, 3))), turn)
    position, point = rng.uniform(-0.3, 0.3, (m, 3)), rng.uniform(-0.3, 0.3, (n, 3))
    frame = np.array([rotation(rng) for _ in range(n)])
    bodies = Bodies(1.0 / mass, inverse_inertia, position, point, a, b, frame)
    v = rng.normal(size=(n, 3))
    v[:, 2] -= 0.7
    problem = Problem.from_bodies(
        1.0 / mass,
        inverse_inertia,
        frame=frame,
        v_free=v,
        friction=rng.uniform(0.2, 1.0, n),
        single_a=a,
        single_b=b,
        arm_a=point - position[a],
        arm_b=point - position[b],
        key=np.arange(1, n + 1),
    )
    unit = [contact_velocity(bodies, *body_velocity(bodies, e.reshape(n, 3))).ravel() for e in np.eye(3 * n)]
    return Case(f"{n} contacts between {m} free bodies", problem, np.array(unit).T, bodies)


def rotation(rng: np.random.Generator) -> np.ndarray:
    """A random rotation, from a unit quaternion."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def body_velocity(bodies: Bodies, impulse: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m, 3) linear and angular velocity changes that impulses make, by Newton and Euler."""
    v, w = np.zeros_like(bodies.position), np.zeros_like(bodies.position)
    for i, lam in enumerate(impulse):
        f = bodies.frame[i].T @ lam
        for k, sign in ((bodies.a[i], 1.0), (bodies.b[i], -1.0)):
            v[k] += sign * bodies.inverse_mass[k] * f
            w[k] += sign * bodies.inverse_inertia[k] @ np.cross(bodies.point[i] - bodies.position[k], f)
    return v, w


def contact_velocity(bodies: Bodies, v: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(n, 3) velocity of A minus B at the contact points, contact axes."""

    def at(k: np.ndarray) -> np.ndarray:
        return v[k] + np.cross(w[k], bodies.point - bodies.position[k])

    return np.einsum("nij,nj->ni", bodies.frame, at(bodies.a) - at(bodies.b))


def check_laws(case: Case, law: str, tolerance: float, energy_tolerance: float) -> None:
    """Raise ContactError for the first law that the impulses in `case` break."""
    lam = np.array(case.problem.impulse)
    if not np.isfinite(lam).all():
        raise ContactError(f"law 'finite' fails on {case.name}: impulse holds {lam[~np.isfinite(lam)][0]}")
    if len(lam) == 0:
        return
    v_free = case.problem.v_free
    v = v_free + (case.G @ lam.ravel()).reshape(-1, 3)
    speed = float(np.abs(v_free).max())
    mobility = case.G.diagonal()[2::3]
    limits = {
        "signorini": tolerance * speed,
        "cone": tolerance * speed,
        "dissipation": tolerance * speed,
        "energy": energy_tolerance * speed**2 / float(mobility.min()),
        "momentum": tolerance * speed,
    }
    values = {
        "signorini": float(np.abs(np.minimum(v[:, 2], lam[:, 2] * mobility)).max()),
        "cone": float((cone_excess(lam, case.problem.friction) * mobility).max()),
        "dissipation": max(
            slip_error(case.block(i), float(case.problem.friction[i]), lam[i], v[i], law, tolerance * speed)
            for i in range(len(lam))
        ),
        "energy": 0.5 * float((lam * (v + v_free)).sum()),
        "momentum": momentum_error(case, lam, v),
    }
    for name, value in values.items():
        if not value <= limits[name]:
            raise ContactError(f"law '{name}' fails on {case.name}: off by {value:.3g}, {limits[name]:.3g} allowed")


def momentum_error(case: Case, lam: np.ndarray, v: np.ndarray) -> float:
    """Momentum that free bodies gained, and the difference from the velocities the problem reports [m/s]."""
    error = float(np.abs(case.problem.velocity() - v).max())
    if case.bodies is None:
        return error
    B = case.bodies
    dv, dw = body_velocity(B, lam)
    P = (dv / B.inverse_mass[:, None]).sum(axis=0)
    spin = np.linalg.solve(B.inverse_inertia, dw[:, :, None])[:, :, 0]
    L = (spin + np.cross(B.position, dv / B.inverse_mass[:, None])).sum(axis=0)
    return max(error, float(np.abs(np.concatenate([P, L])).max() * B.inverse_mass.max()))
