"""Joints in an order of the user's."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Error, Model, State, UnknownNameError, World, models
from rbdyn.io import load_urdf

LEGS = ("RH", "LF", "RF", "LH")
PATH = models.path("quadruped")


def motors(mechanism):
    return [joint.name for joint in mechanism.tree_joints if joint.num_velocities == 1]


def test_it_is_that_of_q_and_v(seed):
    """Of all joints, or of some: the same robot, its coordinates exchanged."""
    own = load_urdf(PATH)
    names = motors(own)
    rng = np.random.default_rng(seed)
    wanted = [name for leg in rng.permutation(LEGS) for name in names if name.startswith(leg)]
    some = wanted[: [12, 6, 3, 1][seed % 4]]
    other = load_urdf(PATH, joint_order=some)
    expected = [*some, *(name for name in names if name not in some)]
    assert motors(other) == expected and sorted(expected) == sorted(names)
    a, b = State(Model(own)), State(Model(other))
    a.set(a.model.random(rng), rng.normal(size=a.model.nv))
    q, v = np.empty(a.model.nq), np.empty(a.model.nv)
    q[:7], v[:6] = a.q[:7], a.v[:6]
    at = [6 + names.index(name) for name in expected]
    q[7:], v[6:] = a.q[7:][np.array(at) - 6], a.v[at]
    b.set(q, v)
    place = np.array([*range(6), *at])
    np.testing.assert_allclose(rbdyn.mass_matrix(b), rbdyn.mass_matrix(a)[np.ix_(place, place)], atol=1e-12)
    np.testing.assert_allclose(rbdyn.bias_forces(b), rbdyn.bias_forces(a)[place], atol=1e-11)
    assert {body.name for body in other.bodies} == {body.name for body in own.bodies}
    assert motors(load_urdf(PATH, joint_order=())) == names


def test_a_world_passes_it_on():
    robot = World(1e-3).add_articulated_system(PATH, joint_order=["RH_HAA", "LH_HAA"])
    assert list(robot.joint_names[1:3]) == ["RH_HAA", "LH_HAA"]


@pytest.mark.parametrize(("order", "kind", "match"), [
    (["LF_KFE", "LF_HFE"], Error, "'LF_KFE' comes before 'LF_HFE', on which it hangs"),
    (["LF_KFE"], Error, "'LF_KFE' comes before '.*', on which it hangs"),
    (["LF_HAA", "LF_HAA"], Error, r"joint_order\[1\].*twice"),
    (["LF_HA"], UnknownNameError, "LF_HAA"), ([3], UnknownNameError, "3"), ("LF_HAA", Error, "must be names of joints"),
    (7, Error, "must be names of joints"),
])  # fmt: skip
def test_what_cannot_be_is_refused(order, kind, match):
    with pytest.raises(kind, match=match):
        load_urdf(PATH, joint_order=order)


def test_fixed_joints_have_no_place():
    fixed = next(joint.name for joint in load_urdf(PATH).joints if joint.joint_type.is_fixed)
    with pytest.raises(Error, match=f"{fixed!r} is fixed"):
        load_urdf(PATH, joint_order=[fixed])
