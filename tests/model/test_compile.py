"""Every number of a Model is, to the bit, that of a slow twin that composes Transforms and SpatialInertias."""

import sys
import threading

import numpy as np
import pytest
from reference.compiled_model import numbers_of as slow_numbers

import rbdyn
from rbdyn import Fixed, Floating, Joint, Model, RigidBody, Transform
from rbdyn.mechanism.joints import TYPES
from rbdyn.model.insides import numbers_of
from rbdyn.testing.random_mechanisms import (
    add_random_loops,
    random_inertia,
    random_joint_type,
    random_transform,
    random_tree,
)

ALONG_AXES = (rbdyn.Revolute((1, 0, 0)), rbdyn.Revolute((0, 1, 0)), rbdyn.Prismatic((0, 0, 1)), rbdyn.Fixed())


def check(mechanism):
    """The Model of a mechanism has the numbers of the slow twin."""
    fast, slow = numbers_of(Model(mechanism)), slow_numbers(mechanism)
    assert fast.keys() == slow.keys()
    for name in fast:
        if isinstance(slow[name], np.ndarray):
            assert np.array_equal(fast[name], slow[name].reshape(fast[name].shape)), name
        elif name == "frames":
            assert list(fast[name]) == list(slow[name])
            assert fast[name] == slow[name]
        else:
            assert fast[name] == slow[name], name
    model = Model(mechanism)
    moving = [joint.joint_type for joint in mechanism.tree_joints if joint.num_velocities]
    assert model.neutral().tolist() == [x for kind in moving for x in kind.neutral()]
    for name in ("damping", "rotor_inertia", "velocity_limit"):
        values = [getattr(joint, name) for joint in mechanism.tree_joints for _ in range(joint.num_velocities)]
        assert model.array(name).tolist() == [np.inf if x is None else x for x in values]


def plain_tree(rng, n):
    """A tree along coordinate axes, as robot files mostly have it, some of its bodies fixed to others."""
    mechanism = rbdyn.Mechanism(RigidBody("world", random_inertia(rng)))
    for k in range(n):
        host = mechanism.bodies[int(rng.integers(len(mechanism.bodies)))]
        kind = Floating() if k == 0 else ALONG_AXES[int(rng.integers(4))]
        body = RigidBody(f"body{k}", random_inertia(rng))
        body.add_frame("tip", random_transform(rng))
        pose = Transform(translation=rng.uniform(-1, 1, 3), rpy=np.pi / 2 * rng.integers(-1, 3, 3) * (k % 3 == 0))
        mechanism.attach(host, body, Joint(f"joint{k}", kind, damping=float(k), rotor_inertia=0.1 * k), pose)
    return mechanism


@pytest.mark.parametrize("floating", [False, True])
def test_random_trees(seed, floating):
    rng = np.random.default_rng([seed, 50, floating])
    for n in (1, 4, 12, 25):
        mechanism = random_tree(rng, n, TYPES, floating)
        mechanism.bodies[-1].add_frame("tip", random_transform(rng))
        mechanism.bodies[0].add_frame("tip" if seed % 2 else "other", random_transform(rng))
        check(mechanism)


def test_random_loops(seed):
    rng = np.random.default_rng([seed, 51])
    mechanism = random_tree(rng, 9, TYPES)
    add_random_loops(rng, mechanism, 3)
    mechanism.non_tree_joints[0].rotor_inertia = 0.3
    assert len(numbers_of(Model(mechanism))["loops"]) == 3
    check(mechanism)


def test_trees_along_axes(seed):
    rng = np.random.default_rng([seed, 52])
    mechanism = plain_tree(rng, 20)
    assert {turn for _, turn, _, _ in numbers_of(Model(mechanism))["frames"].values()} >= {0, 1, 2}
    check(mechanism)


@pytest.mark.parametrize("number", range(5))
def test_random_surgeries(seed, number):
    """Grown, cut, hung anew, welded: what is left of a mechanism compiles as anything else does."""
    rng = np.random.default_rng([seed, 53, number])
    mechanism = random_tree(rng, 10, TYPES[: 6 + seed], number % 2 == 1, rotor_inertia=False)
    for k in range(6):
        joints = mechanism.tree_joints
        joint = joints[int(rng.integers(len(joints)))] if joints else None
        host = mechanism.bodies[int(rng.integers(len(mechanism.bodies)))]
        action = int(rng.integers(5))
        if action == 0:
            child = random_tree(rng, 4, TYPES)
            mechanism.attach_mechanism(host, child, random_transform(rng), prefix=f"new{k}_")
        elif action == 1 and len(joints) > 4:
            mechanism, _ = mechanism.remove_joint(joint, split=True)
        elif action == 2 and joint:
            mechanism.replace_joint(joint, Joint(f"put{k}", random_joint_type(rng, TYPES[k])))
        elif action == 3 and joint:
            mechanism.place_joint(joint, random_transform(rng), random_transform(rng))
        else:
            mechanism.attach(host, RigidBody(f"rider{k}", random_inertia(rng)), Joint(f"held{k}", Fixed()),
                             random_transform(rng))  # fmt: skip
        check(mechanism)
    mechanism.remove_fixed_tree_joints()
    check(mechanism)


def test_sums_beyond_all_numbers_are_refused():
    far = Transform(translation=(1.5e308, 0.0, 0.0))
    mechanism = rbdyn.Mechanism(RigidBody("world"))
    for k in range(2):
        joint = Joint(f"far{k}", rbdyn.Revolute())
        mechanism.attach(mechanism.bodies[-1], RigidBody(f"body{k}", rbdyn.SpatialInertia(1.0)), joint, far, far)
    with pytest.raises(rbdyn.Error, match="translation must be finite"):
        Model(mechanism)
    heavy = rbdyn.Mechanism(RigidBody("world"))
    heavy.attach(heavy.root_body, RigidBody("arm", rbdyn.SpatialInertia(1.0)), Joint("arm", rbdyn.Revolute()))
    huge = RigidBody("huge", rbdyn.SpatialInertia(1e300, (1e150, 0.0, 0.0)))
    heavy.attach("arm", huge, Joint("held", Fixed()))
    with np.errstate(all="ignore"), pytest.raises(rbdyn.Error, match="finite"):
        Model(heavy)


def test_threads_compile_side_by_side(seed):
    """No thread sees another one's numbers, however often they take turns."""
    rng = np.random.default_rng([seed, 54])
    mechanisms = [random_tree(rng, 6, TYPES, rotor_inertia=False) for _ in range(4)]
    expected = [slow_numbers(mechanism) for mechanism in mechanisms]
    wrong = []

    def work(mechanism, slow):
        for _ in range(20):
            fast = numbers_of(Model(mechanism))
            if not (np.array_equal(fast["X_tree"], slow["X_tree"]) and np.array_equal(fast["I_b"], slow["I_b"])):
                wrong.append(mechanism.name)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(mechanisms, expected, strict=True)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
