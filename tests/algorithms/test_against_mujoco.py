"""Random trees in MuJoCo: a third opinion, by authors who share nothing with the other two."""

import numpy as np
import pytest
from algorithms.systems import random_system
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Fixed, Planar, Prismatic, Revolute, SinCosRevolute, Spherical

pytest.importorskip("mujoco")
from reference.mujoco_twin import MujocoTwin, supported  # noqa: E402


def test_random_tree(seed):
    s = random_system(seed, n=7, joint_types=[Fixed, Revolute, SinCosRevolute, Prismatic, Planar, Spherical])
    assert supported(s.mechanism)
    twin = MujocoTwin(s.mechanism, s.q, s.v)
    for body in s.mechanism.bodies[1:]:
        close(rbdyn.body_pose(s.state, body), twin.pose(body.name))
    M, h = twin.mass_matrix(), twin.bias_forces()
    nontrivial(M)
    nontrivial(h)
    close(s.tree_matrix(rbdyn.mass_matrix(s.state)), M)
    close(s.tree(rbdyn.bias_forces(s.state)), h)
    close(s.tree(rbdyn.forward_dynamics(s.state, s.order(s.tau))), np.linalg.solve(M, s.tau - h))
