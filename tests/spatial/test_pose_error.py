"""The error between poses, against the motion that it describes, and as Jacobians see it."""

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.errors import Error
from rbdyn.spatial.rotations import matrix_from_rotvec, random_rotation


@pytest.mark.parametrize("case", range(20))
def test_the_motion_of_one_second_leads_there(case):
    rng = np.random.default_rng(case)
    reference = rbdyn.Transform(rotation=random_rotation(rng), translation=rng.normal(size=3))
    angle = [1e-12, 1e-5, 0.3, 3.1][case % 4]
    axis = rng.normal(size=3)
    turn, way = angle * axis / np.linalg.norm(axis), rng.normal(size=3)
    there = rbdyn.Transform(rotation=matrix_from_rotvec(turn) @ reference.rotation,
                            translation=reference.translation + way)  # fmt: skip
    error = rbdyn.pose_error(there, reference)
    np.testing.assert_allclose(error, np.r_[turn, way], rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(rbdyn.pose_error(there.matrix, reference.matrix), error)
    assert np.linalg.norm(rbdyn.pose_error(reference, reference)) < 1e-15


def test_to_first_order_it_is_what_the_jacobian_says():
    model = rbdyn.Model(models.six_axis_arm())
    state, rng = rbdyn.State(model), np.random.default_rng(3)
    q, step = model.random(rng), 1e-6 * rng.normal(size=6)
    state.set(q)
    before, J = rbdyn.body_pose(state, "tool"), rbdyn.point_jacobian_6d(state, "tool")
    state.set(q + step)
    np.testing.assert_allclose(rbdyn.pose_error(rbdyn.body_pose(state, "tool"), before), J @ step, atol=1e-11)
    assert np.abs(J @ step).max() > 1e-7


@pytest.mark.parametrize("bad", [np.eye(3), np.zeros((4, 4)), None, "pose"])
def test_what_is_no_pose_is_refused(bad):
    for pair in ((bad, np.eye(4)), (np.eye(4), bad)):
        with pytest.raises(Error):
            rbdyn.pose_error(*pair)
