"""Analytic derivatives of five real robots, against Pinocchio's.

With T the map from v to Pinocchio's, vd_pin = T vd + b and tau = T^T tau_pin, where T and b = T' v change as the base
turns.  A step of q maps as v does.  A turn of the base by e, in world axes, takes R^T to R^T (1 - ex): hence the terms
with dT and db below, which are differentiated by hand.
"""

import numpy as np
import pytest
from algorithms import test_robots_against_pinocchio as robots
from reference.compare import close, nontrivial
from reference.oracle import cross_matrix

import rbdyn

pin = pytest.importorskip("pinocchio")


class Twin:
    """Pinocchio's derivatives in our coordinates."""

    def __init__(self, pair, floating):
        self.pair, nv = pair, pair.model.nv
        v, self.dT, self.db_dq = pair.v, np.zeros((nv, nv, nv)), np.zeros((nv, nv))  # dT[k]: along degree of freedom k
        self.db_dv = np.zeros((nv, nv))
        if floating:
            Rt = pair.T[:3, :3]
            for k, e in enumerate(np.eye(3)):
                turned = -Rt @ cross_matrix(e)
                self.dT[3 + k][:3, :3] = self.dT[3 + k][3:6, 3:6] = turned
                self.db_dq[:3, 3 + k] = -turned @ np.cross(v[3:6], v[:3])
            self.db_dv[:3, :3] = -Rt @ cross_matrix(v[3:6])
            self.db_dv[:3, 3:6] = Rt @ cross_matrix(v[:3])

    def inverse(self, vd):
        p, T = self.pair, self.pair.T
        args = (p.twin, p.data, p.q_pin, T @ p.v, T @ vd + p.bias)
        tau = pin.rnea(*args).copy()
        dq, dv, M = (np.array(a) for a in pin.computeRNEADerivatives(*args))
        M = np.triu(M) + np.triu(M, 1).T
        held = np.array([d.T @ tau for d in self.dT]).T
        rates = np.array([dv @ d @ p.v + M @ d @ vd for d in self.dT]).T + M @ self.db_dq
        return held + T.T @ (dq @ T + rates), T.T @ (dv @ T + M @ self.db_dv), T.T @ M @ T

    def forward(self, tau):
        p, T = self.pair, self.pair.T
        args = (p.twin, p.data, p.q_pin, T @ p.v, T @ tau)
        vd = T.T @ (pin.aba(*args) - p.bias)
        dq, dv, M_inv = (np.array(a) for a in pin.computeABADerivatives(*args))
        M_inv = np.triu(M_inv) + np.triu(M_inv, 1).T
        rates = np.array([dv @ d @ p.v + M_inv @ d @ tau - d @ vd for d in self.dT]).T - self.db_dq
        return T.T @ (dq @ T + rates), T.T @ (dv @ T - self.db_dv), T.T @ M_inv @ T


@pytest.fixture(params=robots.FILES, scope="module")
def twin(request):
    file, floating, nv = robots.FILES[request.param]
    pair = robots.Pair(file, floating)
    assert pair.model.nv == nv
    assert np.allclose(pair.T @ pair.T.T, np.eye(nv), atol=1e-14)
    return Twin(pair, floating)


def test_inverse_dynamics(twin):
    p = twin.pair
    for actual, expected in zip(rbdyn.inverse_dynamics_derivatives(p.state, p.vd), twin.inverse(p.vd), strict=True):
        nontrivial(expected, 0.1)
        close(actual, expected, 1e-11)


def test_forward_dynamics(twin):
    p = twin.pair
    for actual, expected in zip(rbdyn.forward_dynamics_derivatives(p.state, p.tau), twin.forward(p.tau), strict=True):
        nontrivial(expected, 0.1)
        close(actual, expected, 1e-9)
