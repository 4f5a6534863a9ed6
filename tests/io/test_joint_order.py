"""Joints in an order of the user's."""

import numpy as np
import pytest

import rbdyn
from rbdyn import Error, Model, State, UnknownNameError, World, io, models
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


def random_parents(rng, n):
    """Of a random tree of links l0 (the root), l1, ...; the order of their joints in the file is random."""
    parents = {f"l{k}": f"l{rng.integers(k)}" for k in range(1, n)}
    return {child: parents[child] for child in rng.permutation(list(parents)).tolist()}


def urdf_file(parents, n):
    mass = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="l{k}">{mass.format(1 + k)}</link>' for k in range(n))
    joints = "".join(
        f'<joint name="j{child[1:]}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{child[1:]} 1 0"/><axis xyz="0 {child[1:]} 1"/></joint>'
        for child, parent in parents.items()
    )
    return f'<robot name="r">{links}{joints}</robot>'


def sdf_file(parents, n):
    links = "".join(f'<link name="l{k}"><inertial><mass>{1 + k}</mass></inertial></link>' for k in range(n))
    joints = "".join(
        f'<joint name="j{child[1:]}" type="revolute"><parent>{parent}</parent><child>{child}</child>'
        f"<axis><xyz>0 {child[1:]} 1</xyz></axis></joint>"
        for child, parent in parents.items()
    )
    return f'<sdf version="1.9"><model name="m">{links}{joints}</model></sdf>'


def xacro_read(parents, n, folder, **options):
    pytest.importorskip("xacro")
    file = folder / "r.xacro"
    file.write_text(urdf_file(parents, n))
    return io.load_xacro(file, **options)


def object_read(parents, n, folder, **options):
    yourdfpy = pytest.importorskip("yourdfpy")
    file = folder / "r.urdf"
    file.write_text(urdf_file(parents, n))
    return io.from_urdfpy(yourdfpy.URDF.load(str(file), load_meshes=False), **options)


def world_read(parents, n, folder, **options):
    return World(1e-3).add_articulated_system(sdf_file(parents, n), **options).mechanism


READERS = {
    "urdf": lambda parents, n, folder, **options: io.load_urdf(urdf_file(parents, n), **options),
    "sdf": lambda parents, n, folder, **options: io.load_sdf(sdf_file(parents, n), **options),
    "xacro": xacro_read,
    "objects": object_read,
    "world": world_read,
}


def preorder(parents, name="l0"):
    """Joints j of a link's children, each followed by those below it."""
    return [x for child, parent in parents.items() if parent == name
            for x in ("j" + child[1:], *preorder(parents, child))]  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_depth_first(reader, seed, tmp_path):
    """A joint, then all that hang on it, siblings as the file has them: the same robot, its coordinates exchanged."""
    rng = np.random.default_rng([seed, 31])
    n = 9
    deep = names = []
    while deep == names:  # a tree whose file is not depth first
        parents = random_parents(rng, n)
        deep, own = preorder(parents), READERS[reader](parents, n, tmp_path)
        names = motors(own)
    other = READERS[reader](parents, n, tmp_path, joint_order="depth_first")
    assert motors(other) == deep
    a, b = State(Model(own)), State(Model(other))
    q, v = a.model.random(rng), rng.normal(size=a.model.nv)
    place_q = [*range(7), *(a.model.joint_q_index(name) for name in deep)]
    place_v = [*range(6), *(a.model.joint_v_index(name) for name in deep)]
    a.set(q, v)
    b.set(q[place_q], v[place_v])
    np.testing.assert_allclose(rbdyn.mass_matrix(b), rbdyn.mass_matrix(a)[np.ix_(place_v, place_v)], atol=1e-11)
    listed = READERS[reader](parents, n, tmp_path, joint_order=deep)
    assert motors(listed) == deep


def test_free_links_of_sdf_come_before_what_hangs_on_them():
    """Depth first, each is followed by its own joints; by default all free links come first."""
    parents = {"l2": "l0", "l3": "l1"}
    names = ["l0_free", "j2", "l1_free", "j3"]
    own, other = (io.load_sdf(sdf_file(parents, 4), joint_order=order) for order in (None, "depth_first"))
    assert [joint.name for joint in other.tree_joints] == names
    assert [joint.name for joint in own.tree_joints] == ["l0_free", "l1_free", "j2", "j3"]


MJCF = """<mujoco><worldbody><body name="a"><freejoint name="free"/><geom size="0.1"/>
  <body name="b"><joint name="jb"/><geom size="0.1"/><body name="c"><joint name="jc"/><geom size="0.1"/></body></body>
  <body name="d"><joint name="jd"/><geom size="0.1"/></body></body></worldbody>
  <keyframe><key name="home" qpos="1 2 3 1 0 0 0 0.1 0.2 0.3"/></keyframe></mujoco>"""


def test_mjcf_is_depth_first_already_and_keys_follow_the_order_of_q():
    pytest.importorskip("mujoco")
    assert motors(io.load_mjcf(MJCF, joint_order="depth_first")) == ["jb", "jc", "jd"] == motors(io.load_mjcf(MJCF))
    other = io.load_mjcf(MJCF, keyframe="home", joint_order=["jd", "jb"])
    assert motors(other) == ["jd", "jb", "jc"]
    assert other.nominal_configuration == (1, 2, 3, 1, 0, 0, 0, 0.3, 0.1, 0.2)
    with pytest.raises(UnknownNameError, match="jbb"):
        io.load_mjcf(MJCF, joint_order=["jbb"])


def test_the_base_may_be_listed_first():
    """As RaiSim's getMovableJointNames() has it."""
    assert motors(load_urdf(PATH, joint_order=["ROOT", "RH_HAA"]))[0] == "RH_HAA"
    with pytest.raises(Error, match="'RH_HAA' comes before 'ROOT', on which it hangs"):
        load_urdf(PATH, joint_order=["RH_HAA", "ROOT"])


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
