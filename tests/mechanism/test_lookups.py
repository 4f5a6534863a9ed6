"""Every name in a list of names is taken by every look-up of that kind, and names stand wherever things do."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Fixed, Floating, Joint, Mechanism, Model, Revolute, RigidBody, SpatialInertia, State, Transform
from rbdyn.testing.random_mechanisms import add_random_loops, random_tree


def fixed_on_the_root(count):
    """A fixed base, `count` bodies on fixed joints at the root, and an arm."""
    m = Mechanism(RigidBody("ground"))
    for k in range(count):
        m.attach(m.root_body, RigidBody(f"post{k}", SpatialInertia(1.0)), Joint(f"bolt{k}", Fixed()))
    arm = RigidBody("arm", SpatialInertia(1.0, inertia=np.eye(3)))
    m.attach(m.bodies[-1] if count == 1 else m.root_body, arm, Joint("hinge", Revolute()))
    return m


def drawn(name):
    rng = np.random.default_rng(len(name))
    if name.startswith("posts"):
        return fixed_on_the_root(int(name[-1]))
    m = random_tree(rng, 7, floating_base=name == "floating")
    if name == "loops":
        add_random_loops(rng, m, 2)
    m.bodies[3].add_frame("camera", Transform(translation=(0.1, 0.2, 0.3)))
    return m


every = pytest.mark.parametrize("name", ["fixed", "floating", "loops", "posts0", "posts1", "posts2"])


@every
def test_every_name_of_a_joint_is_a_joint(name):
    m = drawn(name)
    model = Model(m)
    assert len(model.joint_names) == len(model.body_names) == model.n_bodies
    for joint in (*m.joints, *map(m.find_joint, (*model.joint_names, *model.loop_names))):
        assert m.find_joint(joint.name) is joint
        for index in (model.joint_q_index, model.joint_v_index):
            if joint in m.tree_joints and joint.num_velocities:
                assert index(joint.name) == index(joint) < model.nq
                continue
            with pytest.raises(rbdyn.Error, match=f"joint '{joint.name}' .* has no coordinates: it (is|closes)"):
                index(joint.name)
    base = m.find_joint(model.joint_names[0])
    assert base is m.base_joint
    assert base.joint_type.is_floating == model.floating_base
    assert base.joint_type.is_fixed != model.floating_base
    moved = [m.find_joint(n) for n in model.joint_names[1:]]
    assert [m.successor(j).name for j in moved] == list(model.body_names[1:])


@every
def test_every_name_of_a_frame_is_a_frame(name):
    m = drawn(name)
    model = Model(m)
    state = State(model)
    state.set(model.random(1))
    for body in (*model.body_names, *(b.name for b in m.bodies)):
        assert m.find_body(body).name == body
        np.testing.assert_array_equal(rbdyn.body_pose(state, body), rbdyn.body_pose(state, m.find_body(body)))
    for frame in (*model.frame_names, *model.joint_names, *(f.name for f in m.frames)):
        found = m.find_frame(frame)
        np.testing.assert_array_equal(rbdyn.body_pose(state, frame), rbdyn.body_pose(state, found))
        assert model.body_of(frame) >= 0


def test_the_base_joint_of_a_fixed_base():
    m = fixed_on_the_root(2)
    base = m.base_joint
    assert (base.name, base.joint_type, base in m.joints) == ("ground_joint", Fixed(), False)
    for ask in (m.edge, m.predecessor, m.remove_joint, m.remove_subtree):
        with pytest.raises(rbdyn.MechanismError, match="'ground_joint' holds the root of mechanism 'ground'"):
            ask("ground_joint")
    m.attach("arm", RigidBody("load"), Joint("ground_joint", Revolute()))  # a user's joint of that name is the user's
    assert m.find_joint("ground_joint").joint_type == Revolute()
    assert Model(m).joint_names[0] == m.base_joint.name == "ground_joint_"
    assert fixed_on_the_root(1).base_joint.name == "bolt0"
    assert fixed_on_the_root(0).base_joint.name == "ground_joint"
    flying = Mechanism(RigidBody("world"))
    flying.attach("world", RigidBody("mount"), Joint("mount", Fixed()))
    flying.attach("mount", RigidBody("drone"), Joint("free", Floating()))
    assert flying.base_joint.name == Model(flying).joint_names[0] == "free"
    with pytest.raises(rbdyn.UnknownNameError):
        flying.find_joint("world_joint")


def test_names_stand_for_bodies_and_joints():
    """The same edits and questions by name, and by the things themselves, on two equal mechanisms."""
    by_name, by_thing = (random_tree(np.random.default_rng(5), 8) for _ in range(2))

    def given(m, name):
        return name if m is by_name else m.find_body(name) if name in m._body_names else m.find_joint(name)

    answers = []
    for m in (by_name, by_thing):
        b, j = given(m, "body4"), given(m, "joint4")
        said = [m.edge(j).successor.name, m.predecessor(j).name, m.successor(j).name, m.parent(b).name]
        said += [[x.name for x in ask(b)] for ask in (m.in_joints, m.out_joints, m.joints_to_children)]
        said += [m.joint_to_parent(b).name, [(x.name, s) for x, s in m.path(b, given(m, "body7"))]]
        said += [m.default_frame(b).name, m.frame_before(j).name, m.frame_after(j).name]
        m.attach(b, RigidBody("load"), Joint("grip", Revolute()))
        m.attach(given(m, "load"), given(m, "body1"), Joint("close", Floating()))
        child = random_tree(np.random.default_rng(6), 3)
        m.attach_mechanism(given(m, "body2"), child, prefix="left_")
        said.append(repr(m.submechanism(given(m, "body2"))[0]))
        m.replace_joint(given(m, "grip"), Joint("grip2", Fixed()))
        m.remove_joint(given(m, "close"))
        _, far = m.remove_joint(given(m, "left_joint1"), split=True)
        m.remove_subtree(given(m, "joint5"))
        answers.append([*said, repr(m), repr(far)])
    assert answers[0] == answers[1]
    assert "grip2" in answers[0][-2]


def test_numpy_names_are_names():
    m = Mechanism(RigidBody(np.str_("world")))
    arm = RigidBody(np.str_("arm"))
    m.attach(np.str_("world"), arm, Joint(np.str_("hinge"), Revolute()))
    arm.add_frame(np.str_("tip"), Transform(translation=(1, 0, 0)))
    assert {type(n) for n in (m.name, arm.name, m.find_joint("hinge").name, *arm.frames)} == {str}
    state = State(Model(m))
    assert rbdyn.body_pose(state, np.str_("tip"))[0, 3] == 1.0
    assert state.model.joint_q_index(np.str_("hinge")) == 0
    assert m.find_body(np.str_("arm")) is arm
    assert m.remove_subtree(np.str_("hinge")).joints == {}


def test_the_world_is_the_inertial_frame_whatever_has_its_name():
    """A root body of that name that a World moved; a link of that name that floats; a root of another name."""
    robot = rbdyn.World().add_articulated_system(Mechanism(RigidBody("world")))
    moved, m = robot.state, robot.mechanism
    robot.set_base_pose((1.0, 2.0, 3.0))
    np.testing.assert_array_equal(rbdyn.body_pose(moved, m.root_body)[:3, 3], (1, 2, 3))
    np.testing.assert_array_equal(rbdyn.body_pose(moved, "world"), np.eye(4))
    m = Mechanism(RigidBody("universe"))
    m.attach("universe", RigidBody("world", SpatialInertia(1.0)), Joint("free", Floating()))
    state = State(Model(m))
    state.set([1, 2, 3, 1, 0, 0, 0], np.ones(6))
    np.testing.assert_array_equal(rbdyn.body_pose(state, m.find_body("world"))[:3, 3], (1, 2, 3))
    np.testing.assert_array_equal(rbdyn.body_pose(state, "world"), np.eye(4))
    assert not rbdyn.point_velocity_6d(state, "world", (1, 1, 1)).any()
    assert not rbdyn.point_jacobian(state, "world").any()
    assert rbdyn.spatial_velocity(state, m.find_body("world"), "world").any()
    assert m.find_frame("world") is m.root_frame
    assert "world" in state.model.frame_names
