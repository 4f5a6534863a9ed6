"""Random systems for the dynamics tests, and the way between the model's order of joints and the mechanism's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import rbdyn
from rbdyn.testing.random_mechanisms import ALL_TYPES, random_tree

BASES = (False, rbdyn.Floating, False, rbdyn.SPQuatFloating)


def layout(model, mechanism):
    """Indices iq, iv: x[iq], x[iv] are a model's q and v in the order of mechanism.tree_joints."""
    iq, iv = [], []
    for joint in mechanism.tree_joints:
        if joint.num_velocities:
            iq += range(model.joint_q_index(joint.name), model.joint_q_index(joint.name) + joint.num_positions)
            iv += range(model.joint_v_index(joint.name), model.joint_v_index(joint.name) + joint.num_velocities)
    assert sorted(iq) == list(range(model.nq))
    assert sorted(iv) == list(range(model.nv))
    return np.array(iq, int), np.array(iv, int)


@dataclass
class System:
    """A mechanism in motion: `state` in the model's order; q, v, vd and tau in that of mechanism.tree_joints."""

    rng: np.random.Generator
    mechanism: rbdyn.Mechanism
    model: rbdyn.Model
    state: rbdyn.State
    iq: np.ndarray
    iv: np.ndarray
    q: np.ndarray
    v: np.ndarray
    vd: np.ndarray
    tau: np.ndarray
    external: dict[str, np.ndarray]

    def order(self, x):
        """A vector over v in the model's order."""
        out = np.empty_like(x)
        out[self.iv] = x
        return out

    def tree(self, x):
        """A model's vector over v, or a matrix with such columns, in the order of the tree joints."""
        return x[..., self.iv]

    def tree_matrix(self, M):
        """A model's (nv, nv) matrix in the order of the tree joints."""
        return M[np.ix_(self.iv, self.iv)]


def in_motion(rng, mechanism):
    """A random configuration, velocity, acceleration and load."""
    model = rbdyn.Model(mechanism)
    state = rbdyn.State(model)
    iq, iv = layout(model, mechanism)
    q = np.concatenate([[], *(j.joint_type.random(rng) for j in mechanism.tree_joints)])
    v, vd, tau = rng.normal(size=(3, model.nv))
    names = [b.name for b in mechanism.bodies[1:]]
    loaded = rng.choice(names, min(3, len(names)), replace=False)
    external = {str(name): 5 * rng.normal(size=6) for name in loaded}
    q_model, v_model = np.empty(model.nq), np.empty(model.nv)
    q_model[iq], v_model[iv] = q, v
    state.set(q_model, v_model)
    return System(rng, mechanism, model, state, iq, iv, q, v, vd, tau, external)


def random_system(seed, n=None, joint_types=ALL_TYPES, floating_base=None):
    """A random tree of 7 to 11 bodies in motion; every other seed has a floating base, of either type by turns.

    The first four have joints of all types, in mid-tree and at the ends (test_oracle_agreement.py).
    """
    rng = np.random.default_rng([seed, 181])
    floating = BASES[seed % 4] if floating_base is None else floating_base
    while True:
        mechanism = random_tree(rng, n or int(rng.integers(7, 12)), joint_types, floating)
        if mechanism.num_velocities:
            return in_motion(rng, mechanism)
