"""Welds and ball joints that close loops, against Pinocchio's constrained dynamics: a second opinion."""

import numpy as np
import pytest
from algorithms.systems import in_motion
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Planar, Prismatic, Revolute, Spherical
from rbdyn.testing.random_mechanisms import add_random_loops, random_tree

pin = pytest.importorskip("pinocchio")
from reference.pinocchio_twin import PinocchioTwin, se3  # noqa: E402


def constraint(twin, joint):
    """The same loop joint as a constraint between two of Pinocchio's joints."""
    edge = twin.mechanism.edge(joint)
    kind = pin.ContactType.CONTACT_6D if isinstance(joint.joint_type, Fixed) else pin.ContactType.CONTACT_3D
    (a, A), (b, B) = twin.place[edge.predecessor.name], twin.place[edge.successor.name]
    before, after = A * se3(edge.joint_pose), B * se3(edge.successor_pose).inverse()
    return pin.RigidConstraintModel(kind, twin.model, a, before, b, after, pin.ReferenceFrame.LOCAL)


def closed(rng, joint_type, floating_base):
    """A system without rotors and with one loop, whose constraints are independent, as Pinocchio wants them."""
    while True:
        types = [Fixed, Revolute, Prismatic, Planar, Spherical]
        m = random_tree(rng, 9, types, floating_base, rotor_inertia=False)
        q = rbdyn.Model(m).random(rng)
        add_random_loops(rng, m, 1, [joint_type], q, rotor_inertia=False)
        s = in_motion(rng, m)
        s.state.set(q, s.order(s.v))
        s.state.set(q, rbdyn.project_velocity(s.state))
        s.q, s.v = s.state.q[s.iq], s.state.v[s.iv]
        if rbdyn.dynamics(s.state).rank == s.model.num_constraints:
            return s


@pytest.mark.parametrize("joint_type", [Fixed, Spherical])
def test_accelerations(joint_type, seed):
    s = closed(np.random.default_rng([seed, 80]), joint_type, bool(seed % 2))
    m = s.mechanism
    result = rbdyn.dynamics(s.state, s.order(s.tau))
    twin = PinocchioTwin(m)
    q_pin, T, Td = twin.convert(s.q, s.v)
    models, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    models.append(constraint(twin, m.non_tree_joints[0]))
    datas.append(models[0].createData())
    pin.initConstraintDynamics(twin.model, twin.data, models, datas)
    settings = pin.ProximalSettings(1e-14, 0.0, 1)
    tau = np.linalg.solve(T.T, s.tau)
    vd = pin.constraintDynamics(twin.model, twin.data, q_pin, T @ s.v, tau, models, datas, settings)
    expected = np.linalg.solve(T, vd - Td @ s.v)
    nontrivial(result.multipliers)
    close(s.tree(result.vd), expected, 1e-7)
