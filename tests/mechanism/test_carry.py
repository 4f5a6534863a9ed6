"""States follow surgery: every body stays where it was and moves as it did; what can keep its numbers does."""

import numpy as np
import pytest
from mechanism.loops import closed, motion, random_state, relative

import rbdyn
from rbdyn import (
    Fixed,
    Floating,
    Joint,
    Mechanism,
    Model,
    Planar,
    Prismatic,
    Revolute,
    RigidBody,
    SpatialInertia,
    Spherical,
    State,
)
from rbdyn.mechanism import Maps
from rbdyn.testing.random_mechanisms import random_inertia, random_transform, random_tree


def numbers(state, joint):
    """q and v of one joint."""
    iq, iv = state.model.joint_q_index(joint.name), state.model.joint_v_index(joint.name)
    return [*state.q[iq : iq + joint.num_positions], *state.v[iv : iv + joint.num_velocities]]


def moving(joints):
    return [j for j in joints if j.num_velocities]


def assert_follows(old_motion, state, bodies):
    """The bodies are where they were and move as they did; what is compared is not trivial."""
    assert np.abs(old_motion[16 * len(bodies) :]).max() > 0.1
    np.testing.assert_allclose(motion(state, bodies), old_motion, atol=1e-9)


def assert_keeps_bits(old, new, maps, tree):
    """Joints of the old `tree` that still carry, and lead the same way or have one coordinate, keep q and v exactly."""
    now = set(new.model.mechanism.tree_joints)
    count = 0
    for joint in moving(tree):
        heir = maps.joints.get(joint, joint)
        if heir in now and (heir is joint or joint.num_velocities == 1):
            assert numbers(new, heir) == numbers(old, joint)
            count += 1
    return count


def test_a_rebuilt_tree_moves_as_before(seed):
    m, state = closed(seed)
    rng = np.random.default_rng(seed)
    tree, bodies, before = m.tree_joints, m.bodies, motion(state, m.bodies)
    choose = [None, lambda joints: joints[-1], lambda joints: joints[int(rng.integers(len(joints)))]][seed % 3]
    maps = m.rebuild_spanning_tree(next_edge=choose)
    new = maps.carry(state)
    assert new.model.mechanism is m
    assert_follows(before, new, bodies)
    assert_keeps_bits(state, new, maps, tree)
    back = m.rebuild_spanning_tree(
        next_edge=lambda joints: next((j for j in joints if j.name in names(tree)), joints[0])
    )
    assert_follows(before, back.carry(new), bodies)
    assert set(names(m.tree_joints)) == set(names(tree))


def names(joints):
    return [j.name for j in joints]


def test_rebuilding_flips_and_reaches_every_kind():
    """The random mechanisms above do what they are for."""
    flipped, joined = set(), set()
    for seed in range(40):
        m, _ = closed(seed)
        tree = set(names(m.tree_joints))
        maps = m.rebuild_spanning_tree(next_edge=lambda joints: joints[-1])
        flipped |= {type(j.joint_type) for j in maps.joints.values()}
        joined |= {type(j.joint_type) for j in m.tree_joints if j.name not in tree}
    assert flipped == joined == {Fixed, Revolute, Prismatic, Planar, Spherical, Floating}


def test_a_cut_tree_moves_as_before(seed):
    m, state = closed(seed + 100)
    loop = m.non_tree_joints[seed % 3]
    path = [j for j, _ in m.path(m.predecessor(loop), m.successor(loop))]
    cut = [loop, *path][seed % (len(path) + 1)]
    tree, bodies, before = m.tree_joints, m.bodies, motion(state, m.bodies)
    maps = m.remove_joint(cut)
    new = maps.carry(state)
    assert_follows(before, new, bodies)
    assert_keeps_bits(state, new, maps, tree)
    if cut is loop:
        np.testing.assert_array_equal(new.q, state.q)
        np.testing.assert_array_equal(new.v, state.v)


def test_next_edge_chooses_what_a_cut_hangs_on():
    m, state = closed(3, tree_types=(Revolute, Prismatic, Spherical), loop_types=(Floating,), loops=6)
    loop = max(m.non_tree_joints, key=lambda j: len(m.path(m.predecessor(j), m.successor(j))))
    cut, _ = m.path(m.predecessor(loop), m.successor(loop))[0]
    inside = set(m.submechanism(m.successor(cut))[1].bodies)
    crossing = {j for j in m.joints if j is not cut and (m.predecessor(j) in inside) != (m.successor(j) in inside)}
    before, bodies, asked = motion(state, m.bodies), m.bodies, []

    def last(joints):
        asked.append(joints)
        return joints[-1]

    maps = m.remove_joint(cut, next_edge=last)
    assert len(crossing) > 1
    assert set(asked[0]) == crossing
    assert len(asked) == len(inside)
    assert all(maps.joints.get(joints[-1], joints[-1]) in m.tree_joints for joints in asked)
    assert_follows(before, maps.carry(state), bodies)


def test_maximal_coordinates_move_the_same(seed):
    m, state = closed(seed + 200)
    before = motion(state, m.bodies)
    flat, maps = m.maximal_coordinates()
    new = maps.carry(state)
    assert_follows(before, new, [maps.bodies[b] for b in m.bodies])
    assert new.model.nv == 6 * (len(m.bodies) - 1)
    for j in m.joints:
        twin = maps.joints[j]
        assert (twin.name, twin.joint_type) == (j.name, j.joint_type)
        assert flat.predecessor(twin) is maps.bodies[m.predecessor(j)]
        np.testing.assert_allclose(relative(new, flat, twin).matrix, relative(state, m, j).matrix, atol=1e-12)


def test_a_free_flyer_accelerates_alike_from_whichever_body_it_hangs(seed):
    """Re-rooting flips the joints on the way: the free motion, gravity and all, stays the same."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 7, floating_base=True, rotor_inertia=False)
    base, far = m.tree_joints[0], max(m.bodies, key=lambda b: len(m.path(m.root_body, b)))
    m.attach(m.root_body, far, Joint("far", Floating()), random_transform(rng), random_transform(rng))
    state = random_state(m, rng)
    far_joint = m.find_joint("far")
    twin, _ = m.submechanism(m.root_body)
    twin.remove_joint(twin.find_joint("far"))
    old = State(Model(twin))
    old.set(state.q, state.v)
    maps = m.rebuild_spanning_tree(next_edge=lambda joints: far_joint if far_joint in joints else joints[0])
    state = maps.carry(state)
    state = m.remove_joint(maps.joints.get(base, base)).carry(state)
    assert maps.joints
    force = {far.name: rng.normal(size=6)}
    a, b = (accelerations(s, rbdyn.forward_dynamics(s, np.zeros(s.model.nv), external=force)) for s in (old, state))
    assert all(np.abs(x).max() > 0.1 for x in a.values())
    for name, acceleration in a.items():
        np.testing.assert_allclose(b[name], acceleration, atol=1e-7 * max(1.0, np.abs(acceleration).max()))


def accelerations(state, vd):
    """Of every moving body's origin and orientation, by name."""
    bodies = state.model.mechanism.bodies[1:]
    return {b.name: rbdyn.point_acceleration_6d(state, vd, b.name, (0, 0, 0)) for b in bodies}


# ---- joints replaced -------------------------------------------------------------------------


def test_a_replaced_joint_sits_in_the_same_place(seed):
    m, state = closed(seed + 300)
    before, bodies, names_before = motion(state, m.bodies), m.bodies, names(m.joints)
    k = seed % len(m.joints)
    joint = m.joints[k]
    edge, q_and_v = m.edge(joint), (state.q.copy(), state.v.copy())
    free = Joint("free", Floating())
    maps = m.replace_joint(joint, free)
    assert (maps.joints, maps.bodies) == ({joint: free}, {})
    assert maps.frames == {joint.frame_before: free.frame_before, joint.frame_after: free.frame_after}
    assert m.joints[k] is free
    assert m.edge(free) == edge
    new = maps.carry(state)
    assert_follows(before, new, bodies)  # a floating joint can do what any other did
    twin = Joint(joint.name, joint.joint_type, damping=3.0)
    new = m.replace_joint(free, twin).carry(new)
    assert_follows(before, new, bodies)
    assert names(m.joints) == names_before
    last = m.replace_joint(twin, joint).carry(new)  # the same type: to the bit
    np.testing.assert_array_equal(last.q, new.q)
    np.testing.assert_array_equal(last.v, new.v)
    np.testing.assert_allclose(last.v, q_and_v[1], atol=1e-9)


def test_a_joint_of_fewer_freedoms_takes_the_nearest_motion():
    m = Mechanism(RigidBody("world"))
    arm = RigidBody("arm", SpatialInertia(1.0, (0.1, 0.2, 0.3), np.eye(3)))
    ball = Joint("ball", Spherical())
    m.attach(m.root_body, arm, ball)
    state = State(Model(m))
    half = 0.35
    state.set([np.cos(half), 0, 0, np.sin(half)], [0.3, 0.2, 0.7])
    hinge = m.replace_joint(ball, Joint("hinge", Revolute((0, 0, 1)))).carry(state)
    np.testing.assert_allclose([*hinge.q, *hinge.v], [2 * half, 0.7], atol=1e-14)
    weld = m.replace_joint(m.find_joint("hinge"), Joint("weld", Fixed())).carry(hinge)
    assert (weld.model.nq, weld.model.nv) == (0, 0)


@pytest.mark.parametrize("limits, turns", [((6.0, 12.0), 1), ((-9.0, -5.0), -1), ((-1.0, 1.0), 0), ((2.0, 3.0), 0)])
def test_an_angle_is_taken_within_its_limits(limits, turns):
    """A loop joint whose limits are beyond half a turn gets whole turns added when it joins the tree."""
    m = Mechanism(RigidBody("world"))
    a, b = RigidBody("a", random_inertia(np.random.default_rng(0))), RigidBody("b", SpatialInertia(1.0))
    m.attach(m.root_body, a, Joint("a", Revolute((0, 0, 1))))
    m.attach(a, b, Joint("b", Revolute((0, 0, 1))))
    m.attach(m.root_body, b, Joint("c", Revolute((0, 0, 1)), position_limits=limits))
    state = State(Model(m))
    state.set([0.3, 0.4], [1.0, 2.0])
    new = m.remove_joint(m.find_joint("a")).carry(state)
    c, b_joint = m.find_joint("c"), m.find_joint("b")
    np.testing.assert_allclose(numbers(new, c), [0.7 + 2 * np.pi * turns, 3.0])
    assert (b_joint.joint_type.axis, numbers(new, b_joint)) == ((0, 0, -1), [0.4, 2.0])


# ---- growing, copying, merging ---------------------------------------------------------------


def module(rng, prefix=""):
    m = random_tree(rng, 4, (Revolute, Spherical, Prismatic, Planar), rotor_inertia=False)
    m.attach(m.bodies[2], m.bodies[4], Joint("stay", Spherical()))
    return m


def test_both_states_go_into_a_whole(seed):
    rng = np.random.default_rng(seed)
    m, child = closed(seed + 400)[0], module(rng)
    own, theirs = random_state(m, rng), random_state(child, rng)
    maps = m.attach_mechanism(m.bodies[3], child, random_transform(rng), prefix="x_")
    for states in ((own, theirs), (theirs, own), (own,), (theirs,)):
        new = maps.carry(*states)
        for state, joints in ((own, {j: j for j in own.model.mechanism.tree_joints if j not in maps.joints.values()}),
                              (theirs, {j: maps.joints[j] for j in child.tree_joints})):  # fmt: skip
            for old, heir in joints.items():
                if old.num_velocities:
                    rest = [*heir.joint_type.neutral(), *np.zeros(heir.num_velocities)]
                    assert numbers(new, heir) == (numbers(state, old) if state in states else rest)


def test_the_same_module_again_and_on_itself():
    """Distinct parts each time; each time the state so far goes on."""
    rng = np.random.default_rng(5)
    child, m = module(rng), Mechanism(RigidBody("world"), gravity=(0, 0, -9.81))
    theirs, state = random_state(child, rng), State(Model(m))
    all_maps = []
    for prefix in ("a_", "b_", "c_"):
        all_maps.append(m.attach_mechanism(m.root_body, child, random_transform(rng), prefix))
        state = all_maps[-1].carry(state, theirs)
    np.testing.assert_array_equal(state.q, np.tile(theirs.q, 3))
    np.testing.assert_array_equal(state.v, np.tile(theirs.v, 3))
    assert len(set(names(m.joints))) == len(m.joints) == 15
    assert len({f.id for f in m.frames}) == len(m.frames)
    energies = [rbdyn.kinetic_energy(state), 3 * rbdyn.kinetic_energy(theirs)]
    np.testing.assert_allclose(*energies)
    new = child.attach_mechanism(child.bodies[-1], child, None, "next_").carry(theirs, theirs)
    np.testing.assert_array_equal(new.q, np.tile(theirs.q, 2))


def test_a_part_takes_its_numbers_along():
    m, state = closed(17, tree_types=(Revolute, Spherical, Planar))
    body = m.bodies[1]
    part, maps = m.submechanism(body)
    new = maps.carry(state)
    assert new.model.mechanism is part
    assert moving(part.tree_joints)
    for old, twin in maps.joints.items():
        if twin in part.tree_joints and old.num_velocities:
            assert numbers(new, twin) == numbers(state, old)


def test_a_split_carries_both_parts():
    rng = np.random.default_rng(2)
    m = random_tree(rng, 9, (Revolute, Spherical, Floating))
    state = random_state(m, rng)
    old = {j: numbers(state, j) for j in m.tree_joints}
    cut = next(j for j in m.tree_joints if m.joints_to_children(m.successor(j)))
    result = m.remove_joint(cut, split=True)
    near, far = result
    assert (near, far) == (result.near, result.far)
    near_state, far_state = result.carry(state)
    for part, new in ((near, near_state), (far, far_state)):
        assert new.model.mechanism is part
        assert part.tree_joints
        for joint in part.tree_joints:
            assert numbers(new, joint) == old[joint]
    np.testing.assert_array_equal(result.maps[1].carry(state).q, far_state.q)


def test_edits_that_leave_the_tree_alone():
    """A body attached, a subtree removed, fixed joints merged: every joint keeps its numbers."""
    m, state = closed(23)
    bodies, before = m.bodies, motion(state, m.bodies)
    new = m.attach(m.bodies[4], RigidBody("tool", SpatialInertia(1.0)), Joint("tool", Floating())).carry(state)
    for joint in moving(m.tree_joints[:-1]):
        assert numbers(new, joint) == numbers(state, joint)
    assert numbers(new, m.find_joint("tool")) == [0, 0, 0, 1, 0, 0, 0] + 6 * [0]
    new = m.attach(m.bodies[1], m.bodies[3], Joint("extra", Spherical())).carry(new)
    new = m.remove_subtree(m.find_joint("tool")).carry(new)
    np.testing.assert_array_equal(new.q, state.q)
    assert m.remove_fixed_tree_joints().carry(new).v.tolist() == state.v.tolist()
    merged = m.remove_fixed_tree_joints()  # nothing left to do: no edit, and still maps
    np.testing.assert_array_equal(merged.carry(at(m, state)).v, state.v)
    kept = [b for b in bodies if b in m.bodies]
    assert 2 < len(kept) < len(bodies)
    now = motion(at(m, state), kept)
    rows = [k for k, b in enumerate(bodies) if b in kept]
    np.testing.assert_allclose(now[: 16 * len(kept)], before[: 16 * len(bodies)].reshape(-1, 16)[rows].ravel())
    np.testing.assert_allclose(now[-1], before[-1])


def at(m, state):
    fresh = State(Model(m))
    fresh.set(state.q, state.v)
    return fresh


def test_a_long_life_in_one_motion(seed):
    """Edit after edit, the bodies that are left go on as they were."""
    rng = np.random.default_rng([seed, 5])
    m, state = closed(seed + 500)
    told = {b: (rbdyn.body_pose(state, b), rbdyn.point_velocity_6d(state, b, (0, 0, 0))) for b in m.bodies}
    for step in range(15):
        joint, kind = m.joints[int(rng.integers(len(m.joints)))], step % 5
        a, b = (m.bodies[k] for k in rng.choice(len(m.bodies), 2, replace=False))
        if kind == 0:
            maps = m.attach(a, b, Joint(f"free{step}", Floating()), random_transform(rng))
        elif kind == 1:
            maps = m.rebuild_spanning_tree(next_edge=lambda joints: joints[int(rng.integers(len(joints)))])
        elif kind == 2:
            maps = m.replace_joint(joint, Joint(f"new{step}", Floating()))
        elif kind == 3:
            loop = m.non_tree_joints[0]
            maps = m.remove_joint(m.path(m.predecessor(loop), m.successor(loop))[0][0])
        else:
            maps = m.remove_fixed_tree_joints()
        state = maps.carry(state)
    assert sum(np.abs(told[b][1]).max() > 0.1 for b in m.bodies) > 1
    for body in m.bodies:
        np.testing.assert_allclose(rbdyn.body_pose(state, body), told[body][0], atol=1e-9)
        np.testing.assert_allclose(rbdyn.point_velocity_6d(state, body, (0, 0, 0)), told[body][1], atol=1e-8)


# ---- what cannot be carried ------------------------------------------------------------------


def test_only_the_state_just_before_the_edit_is_carried():
    m, state = closed(1)
    other = random_state(random_tree(np.random.default_rng(1), 3), np.random.default_rng(1))
    m.joints[0].damping = 1.0
    maps = m.rebuild_spanning_tree()
    with pytest.raises(rbdyn.StaleModelError, match=rf"revision {state.model.revision}; .* revision {m.revision - 1}"):
        maps.carry(state)
    with pytest.raises(rbdyn.StaleModelError, match="one of another mechanism .* revision 3; these maps carry"):
        maps.carry(other)
    fresh = random_state(m, np.random.default_rng(0))
    with pytest.raises(rbdyn.StaleModelError):
        maps.carry(fresh)  # the one after
    maps = m.remove_joint(m.non_tree_joints[0])
    with pytest.raises(rbdyn.StaleModelError, match="a second one of mechanism"):
        maps.carry(fresh, fresh)
    m.joints[0].damping = 2.0  # parameters do not matter
    assert maps.carry(fresh).model.revision == m.revision
    m.remove_joint(m.non_tree_joints[0])
    with pytest.raises(rbdyn.StaleModelError, match="edited again"):
        maps.carry(fresh)
    for bad in ((), (None,), (m,), (State.__new__(State),), (np.zeros(3),)):
        with pytest.raises(rbdyn.StateError):
            maps.carry(*bad)
    with pytest.raises(rbdyn.MechanismError, match="no edit"):
        Maps().carry(fresh)


def test_a_root_that_a_world_moved_stays_there():
    world = rbdyn.World(gravity=(1.0, 2.0, -3.0))
    robot = world.add_articulated_system(rbdyn.rand_chain_mechanism([Revolute] * 4, seed=2))
    m = robot.mechanism
    robot.set_base_pose((1.0, 2.0, 3.0), (0.5, 0.5, -0.5, 0.5))
    robot.set_state([0.1, 0.2, 0.3, 0.4], [1.0, -1.0, 2.0, -2.0])
    before, kept = robot.state.copy(), m.bodies[1:3]
    poses = [rbdyn.body_pose(before, body) for body in kept]
    after = m.remove_subtree(m.tree_joints[2]).carry(before)
    energy = 0.0
    for body, pose in zip(kept, poses, strict=True):
        np.testing.assert_array_equal(rbdyn.body_pose(after, body), pose)
        energy -= body.inertia.mass * np.array([1.0, 2.0, -3.0]) @ (pose @ [*body.inertia.com, 1.0])[:3]
    assert np.linalg.norm(poses[0][:3, 3]) > 2.0
    assert rbdyn.potential_energy(after) == pytest.approx(energy, rel=1e-12)
