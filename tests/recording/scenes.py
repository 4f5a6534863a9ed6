"""Worlds that recordings are made of, and what they are compared with: the public API, read by a Python observer."""

import numpy as np

import rbdyn
from rbdyn import models
from rbdyn.models import QUADRUPED_STANCE


def busy_world(dt=2e-3):
    """A quadruped that drops, an arm with a fixed base that stands askew, and bodies that fall and slide."""
    world = rbdyn.World(dt)
    world.add_ground()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    q = QUADRUPED_STANCE.q.copy()
    q[2] += 0.02
    dog.set_state(q, 0.05 * np.arange(dog.nv))
    dog.set_pd_gains(250.0, 10.0)
    dog.set_pd_target(QUADRUPED_STANCE.q)
    arm = world.add_articulated_system(models.six_axis_arm(), name="arm")
    arm.set_base_pose((2.0, 1.0, 0.5), (0.8, 0.36, 0.48, 0.0))
    arm.set_state(0.1 * np.arange(1, 7), 0.2 * np.ones(6))
    box = world.add_box(0.2, 0.3, 0.4, 2.0, name="box")
    box.set_pose((-1.0, 0.0, 0.35), (0.5, 0.5, -0.5, 0.5))
    box.set_velocity((0.3, 0.0, 0.0), (1.0, 2.0, 3.0))
    ball = world.add_sphere(0.1, 1.0, name="ball")
    ball.set_pose((-1.0, 1.0, 0.1))
    return world


class Seen:
    """What the public API says at every step."""

    def __init__(self, world, every=1):
        self.every, self.frames = every, []
        self.note(world)
        world.add_observer(self)

    def __call__(self, world):
        if (world.steps - self.frames[0]["steps"]) % self.every == 0:
            self.note(world)

    def note(self, world):
        robots = [obj for obj in world.objects if isinstance(obj, rbdyn.ArticulatedSystem)]
        singles = [obj for obj in world.objects if not isinstance(obj, rbdyn.ArticulatedSystem)]
        self.frames.append({
            "steps": world.steps,
            "time": world.time,
            "q": {r.name: r.q for r in robots},
            "v": {r.name: r.v for r in robots},
            "poses": {(r.name, n): r.body_pose(n) for r in robots for n in r.model.frame_names}
            | {(b.name, b.name): pose_of(b) for b in singles},
            "velocities": {b.name: (b.linear_velocity, b.angular_velocity) for b in singles},
            "center": {r.name: rbdyn.center_of_mass(r.state) for r in robots},
            "kinetic": {r.name: rbdyn.kinetic_energy(r.state) for r in robots} | {
                b.name: b.kinetic_energy for b in singles},
            "potential": {r.name: rbdyn.potential_energy(r.state) for r in robots} | {
                b.name: b.potential_energy for b in singles},
            "contacts": [(c.object_a.name, c.link_a, c.geometry_a, c.object_b.name, c.geometry_b, c.position, c.normal,
                          c.depth, c.force) for c in world.contacts],
        })  # fmt: skip


def pose_of(body):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = body.rotation, body.position
    return X
