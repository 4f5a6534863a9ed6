"""RaiSim's visual objects, viewers, learning, export, exchange of parts: one test for each of the five capabilities.

Lists of what is drawn and what collides with their poses (25.1), an outside viewer of both (25.2), an environment to
learn in (25.3), a robot's file written and read (25.4), and other parts in the place of our own (25.5).
"""

import numpy as np
import pytest

import rbdyn
from rbdyn import io, models
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.scenery import Scenery


def scene(**options):
    world = rbdyn.World(2e-3, **options)
    world.add_ground()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    dog.set_state(QUADRUPED_STANCE.q)
    dog.set_pd_gains(250.0, 10.0)
    dog.set_pd_target(QUADRUPED_STANCE.q)
    return world, dog


def test_visual_and_collision_objects_are_lists_with_poses():
    """getVisOb, getVisColOb and their poses: those of the links, times that of the shape there."""
    world, dog = scene()
    world.step(20)
    for geometry, kind in (("visual", "visual"), ("collision", "collision")):
        scenery = Scenery(world, geometry)
        shown = [k for k, item in enumerate(scenery.items) if item.object == "dog"]
        assert len(shown) > 10 and {scenery.items[k].kind for k in shown} == {kind}
        poses = scenery.poses()
        for k in shown:
            item = scenery.items[k]
            link = dog.mechanism.find_body(item.link)
            name = item.name.removeprefix("dog/").removeprefix("visual/")
            (shape,) = [g for g in getattr(link, kind) if g.name == name]
            np.testing.assert_allclose(poses[k], dog.body_pose(item.link) @ shape.pose.matrix, atol=1e-12)


def test_an_outside_viewer_shows_both_kinds():
    pytest.importorskip("viser", reason="needs viser")
    world, _ = scene()
    with world.view(open_browser=False) as viewer:
        groups = viewer.canvas._drawing.groups
        for geometry, layer in (("visual", "visual"), ("collision", "collision")):
            viewer.geometry = geometry
            seen = {group.layer for group in groups if group.handle.visible}
            assert layer in seen and len(seen & {"visual", "collision"}) == 1


def test_there_is_an_environment_to_learn_in():
    gymnasium = pytest.importorskip("gymnasium", reason="needs gymnasium")
    import rbdyn.gym  # noqa: F401  registers

    env = gymnasium.make("rbdyn/QuadrupedWalk-v0")
    observation, _ = env.reset(seed=0)
    later, reward, *_ = env.step(env.action_space.sample())
    assert env.observation_space.contains(later) and np.isfinite(reward) and (later != observation).any()
    env.close()


def test_a_robot_s_file_is_written_and_read(tmp_path):
    written = models.quadruped()
    io.save_urdf(written, tmp_path / "dog.urdf")
    ours, theirs = rbdyn.Model(written), rbdyn.Model(io.load_urdf(tmp_path / "dog.urdf"))
    assert (ours.body_names, ours.nq, ours.nv) == (theirs.body_names, theirs.nq, theirs.nv)
    rng, q = np.random.default_rng(0), QUADRUPED_STANCE.q.copy()
    q[7:] += rng.uniform(-0.3, 0.3, len(q) - 7)
    masses = []
    for model in (ours, theirs):
        state = rbdyn.State(model)
        state.set(q)
        masses.append(rbdyn.mass_matrix(state))
    np.testing.assert_allclose(masses[1], masses[0], rtol=1e-12, atol=1e-14)


def test_parts_can_be_exchanged():
    """Another solver of contacts: standing, it carries the same weight."""
    loads = []
    for options in ({}, {"contact": "pgs"}):
        world, dog = scene(**options)
        world.step(500)
        forces = [c.force if c.object_a is dog else -c.force for c in world.contacts]
        loads.append(np.sum(forces, axis=0)[2])
    np.testing.assert_allclose(loads, dog.model.total_mass * 9.81, rtol=1e-6)
    assert len(forces) == 4
