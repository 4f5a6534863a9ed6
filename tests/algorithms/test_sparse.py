"""Sparse Jacobians: the dense ones without the columns that cannot be other than zero."""

import copy
import pickle

import numpy as np
import pytest
from algorithms.systems import random_system
from reference.compare import close, nontrivial

import rbdyn
from rbdyn import models

POINT = np.array([0.3, -0.5, 0.7])
PAIRS = {
    "sparse_point_jacobian": (rbdyn.sparse_point_jacobian, rbdyn.point_jacobian),
    "sparse_point_jacobian_6d": (rbdyn.sparse_point_jacobian_6d, rbdyn.point_jacobian_6d),
    "sparse_point_jacobian_dot": (rbdyn.sparse_point_jacobian_dot, rbdyn.point_jacobian_dot),
    "sparse_point_jacobian_dot_6d": (rbdyn.sparse_point_jacobian_dot_6d, rbdyn.point_jacobian_dot_6d),
}


def moved_by(s, body):
    """Entries of v of the joints between the root and a body, from the mechanism's own path."""
    joints = [j for j, _ in s.mechanism.path(s.mechanism.root_body, s.mechanism.find_body(body))]
    first = {j.name: s.model.joint_v_index(j.name) for j in joints if j.num_velocities}
    return sorted(first[j.name] + k for j in joints for k in range(j.num_velocities))


def test_sparse_is_dense_less_zeros(seed):
    s = random_system(seed)
    smaller, used = 0, 0
    for body in [b.name for b in s.mechanism.bodies]:
        columns = rbdyn.supporting_columns(s.model, body)
        assert columns.tolist() == moved_by(s, body)
        smaller += len(columns) < s.model.nv
        for sparse, dense in PAIRS.values():
            for point in (POINT, None):
                J, expected = sparse(s.state, body, point), dense(s.state, body, point)
                assert J.values.shape == (len(expected), len(columns))
                np.testing.assert_array_equal(J.columns, columns)
                np.testing.assert_array_equal(J.values, expected[:, columns])
                np.testing.assert_array_equal(J.dense(), expected)
        used += len(columns) > 1
    assert smaller
    assert used


def test_products(seed):
    s = random_system(seed)
    body = s.model.body_names[-1]
    J, J_dot = (f(s.state, body, POINT) for f in (rbdyn.sparse_point_jacobian_6d, rbdyn.sparse_point_jacobian_dot_6d))
    v, vd = s.state.v, s.order(s.vd)
    close(J @ v, rbdyn.point_velocity_6d(s.state, body, POINT))
    close(J @ vd + J_dot @ v, rbdyn.point_acceleration_6d(s.state, vd, body, POINT))
    nontrivial(J @ v)
    many = s.rng.normal(size=(s.model.nv, 4))
    close(J @ many, J.dense() @ many)
    for f in (s.rng.normal(size=6), s.rng.normal(size=(3, 6))):
        close(f @ J, f @ J.dense())
    close(J @ v.tolist(), J @ v)
    close(J.angular @ v, (J @ v)[:3])
    np.testing.assert_array_equal(J.linear.dense(), rbdyn.point_jacobian(s.state, body, POINT))


def test_a_foot_of_the_quadruped():
    """Nine of eighteen degrees of freedom: the base's six and the leg's three."""
    model = rbdyn.Model(models.quadruped())
    first = model.joint_v_index("RF_HAA")
    assert rbdyn.supporting_columns(model, "RF_FOOT").tolist() == [0, 1, 2, 3, 4, 5, first, first + 1, first + 2]
    assert rbdyn.supporting_columns(model, "base").tolist() == [0, 1, 2, 3, 4, 5]
    assert len(rbdyn.supporting_columns(model, "world")) == 0


def test_nothing_can_be_changed():
    s = random_system(3)
    J = rbdyn.sparse_point_jacobian_6d(s.state, s.model.body_names[-1])
    for array in (J.columns, J.values, J.linear.values, rbdyn.supporting_columns(s.model, "body1")):
        with pytest.raises(ValueError, match="read-only"):
            array[..., 0] = 1
    for name in ("columns", "values", "nv", "angular"):
        with pytest.raises(AttributeError):
            setattr(J, name, None)
    for twin in (copy.deepcopy(J), pickle.loads(pickle.dumps(J)), rbdyn.SparseJacobian(J.columns, J.values, J.nv)):
        np.testing.assert_array_equal(twin.columns, J.columns)
        np.testing.assert_array_equal(twin.values, J.values)
        assert twin.nv == J.nv
    assert "SparseJacobian" in repr(J)


def test_a_jacobian_of_ones_own_is_copied():
    columns, values = np.array([0, 2]), np.ones((3, 2))
    J = rbdyn.SparseJacobian(columns, values, 4)
    columns[:], values[:] = 1, 7.0
    assert J.dense().tolist() == [[1, 0, 1, 0]] * 3
    assert rbdyn.SparseJacobian([], np.empty((3, 0)), 2).dense().tolist() == [[0, 0]] * 3


@pytest.mark.parametrize(
    "columns, values",
    [
        ([0], np.ones((3, 2))),
        ([[0, 1]], np.ones((3, 2))),
        ([0, 4], np.ones((3, 2))),
        ([-1, 0], np.ones((3, 2))),
        ([0.0, 1.0], np.ones((3, 2))),
        ([0, 1], np.ones(2)),
        ([1, 1], np.ones((3, 2))),
    ],
)
def test_what_does_not_fit_is_refused(columns, values):
    with pytest.raises(rbdyn.StateError, match="columns"):
        rbdyn.SparseJacobian(columns, values, 4)


def test_refusals():
    s = random_system(5)
    J = rbdyn.sparse_point_jacobian(s.state, "body1")
    for bad in (np.ones(s.model.nv + 1), 1.0, np.ones((2, 2, 2)), np.ones((1, s.model.nv))):
        with pytest.raises(rbdyn.StateError, match="v must"):
            J @ bad
    for bad in (np.ones(4), 1.0, np.ones((3, 4))):
        with pytest.raises(rbdyn.StateError, match="f must"):
            bad @ J
    for half in ("angular", "linear"):
        with pytest.raises(rbdyn.StateError, match="6 rows"):
            getattr(J, half)
    empty = rbdyn.SparseJacobian.__new__(rbdyn.SparseJacobian)
    repr(empty)
    for call in (
        empty.dense,
        lambda: empty @ [1.0],
        lambda: [1.0] @ empty,
        lambda: empty.angular,
        lambda: pickle.dumps(empty),
    ):
        with pytest.raises(rbdyn.StateError):
            call()
    for call in (rbdyn.supporting_columns, rbdyn.sparse_point_jacobian, rbdyn.sparse_point_jacobian_dot_6d):
        with pytest.raises(rbdyn.UnknownNameError, match="body1"):
            call(s.model if call is rbdyn.supporting_columns else s.state, "bodi1")
        with pytest.raises((rbdyn.Error, TypeError)):
            call(None, "body1")
    with pytest.raises(rbdyn.Error):
        rbdyn.supporting_columns(rbdyn.Model.__new__(rbdyn.Model), "body1")
