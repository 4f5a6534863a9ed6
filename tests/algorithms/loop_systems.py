"""Random systems with loops, closed or open."""

from __future__ import annotations

import numpy as np
from algorithms.systems import in_motion

import rbdyn
from rbdyn.testing.random_mechanisms import ALL_TYPES, add_random_loops, random_tree

LOOP_TYPES = [t for t in ALL_TYPES if t not in (rbdyn.Floating, rbdyn.SPQuatFloating)]


def looped(seed, loops=2, n=None, joint_types=LOOP_TYPES, closed=True, floating_base=None, twice=False, **options):
    """A random tree with loops in motion, their types by turns; if closed, the loops fit at its q and K v = 0."""
    rng = np.random.default_rng([seed, 78])
    floating = bool(seed % 2) if floating_base is None else floating_base
    while True:
        mechanism = random_tree(rng, n or int(rng.integers(5, 9)), ALL_TYPES, floating)
        if mechanism.num_velocities < 5:
            continue
        q = rbdyn.Model(mechanism).random(rng)
        joints = []
        for k in range(loops):
            kind = joint_types[(seed * loops + k) % len(joint_types)]
            joints += add_random_loops(rng, mechanism, 1, [kind], q, **options)
        if all_matter(mechanism, q):
            break
    if twice:
        double(mechanism, joints[0])
    system = in_motion(rng, mechanism)
    system.state.set(q, system.order(system.v))
    if closed:
        system.state.set(q, rbdyn.project_velocity(system.state))
    else:
        nearby = rbdyn.integrate(system.model, q, 0.1 * rng.normal(size=system.model.nv))
        system.state.set(nearby, system.order(system.v))
    system.q, system.v = system.state.q[system.iq], system.state.v[system.iv]
    return system


def all_matter(mechanism, q):
    """Whether every loop joint joins bodies that can move against each other, and some motion is left."""
    model = rbdyn.Model(mechanism)
    state = rbdyn.State(model)
    state.set(q)
    K = rbdyn.loop_jacobian(state)
    moves = np.linalg.matrix_rank(K, tol=1e-8) < model.nv if K.size else True
    return moves and all(K[rows].any() for rows in model.loop_rows.values() if rows.stop > rows.start)


def double(mechanism, joint):
    """Attach a loop joint once more, without its rotor."""
    edge = mechanism.edge(joint)
    twin = joint.copy(f"{joint.name}_again")
    twin.rotor_inertia = 0.0
    mechanism.attach(edge.predecessor, edge.successor, twin, edge.joint_pose, edge.successor_pose)
    return twin


def moved(system, dt, v=None):
    """The system's state after moving with its velocity for dt."""
    state = rbdyn.State(system.model)
    v = system.state.v if v is None else v
    state.set(rbdyn.integrate(system.model, system.state.q, v, dt), v)
    return state


def rate(function, system, h=1e-4):
    """Time derivative of function(state) along the system's velocity, by a five-point stencil."""
    f = [function(moved(system, k * h)) for k in (-2, -1, 1, 2)]
    return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)
