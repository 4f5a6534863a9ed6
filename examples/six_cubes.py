"""Six cubes that split and dock
=============================

Six cubes on hinges crawl; every 0.6 s one hinge is let go, both parts crawl on, a latch draws them together, and the
hinge is put back where they are: on the ground, in motion.  Run: python examples/six_cubes.py
"""

import math

import numpy as np

import rbdyn
from rbdyn import Floating, Geometry, Joint, Mechanism, Revolute, RigidBody, SpatialInertia, Transform

BOX, GAINS, N = rbdyn.collision.Box((0.1, 0.1, 0.1)), (40.0, 0.6), 6
AHEAD, BEHIND = Transform(translation=(0.06, 0, 0)), Transform(translation=(-0.06, 0, 0))  # hinges on a cube
HINGE = [Joint(f"hinge{k}", Revolute((0, 1, 0)), effort_limit=12.0) for k in range(N)]


def placed(robot: rbdyn.ArticulatedSystem, part: rbdyn.ArticulatedSystem, k: int) -> Transform:
    """Where the hinge of cube k is on the cube before it, at angle 0."""
    face = Transform.from_matrix(part.body_pose(f"cube{k}")) @ BEHIND
    here = Transform.from_matrix(robot.body_pose(f"cube{k - 1}")).inverse() @ face
    return here @ Transform(rpy=(0.0, -math.atan2(here.rotation[0, 2], here.rotation[2, 2]), 0.0))


def main(seconds: float = 60.0) -> rbdyn.World:
    """Crawl, cut and dock; print what became of momentum [N m s, N s] and energy [J]."""
    chain = Mechanism(RigidBody("earth"))
    for k in range(N):
        body = RigidBody(f"cube{k}", SpatialInertia(0.4, inertia=BOX.inertia(0.4)), [Geometry(BOX)])
        ends = (AHEAD, BEHIND.inverse()) if k else (None, None)
        chain.attach(f"cube{k - 1}" if k else "earth", body, HINGE[k].copy() if k else Joint("base", Floating()), *ends)
    world = rbdyn.World(0.002)
    world.add_ground()
    part = robot = world.add_articulated_system(chain, name="cubes")
    robot.set_base_pose((0.0, 0.0, 0.0501))
    robot.set_pd_gains(joints={f"hinge{k}": GAINS for k in range(1, N)})
    count, made, off, k, sums = 0, 0.0, 0.0, 1, (rbdyn.momentum, rbdyn.kinetic_energy)
    for step in range(round(seconds / 0.002)):
        before, phase = [sum(f(one.state) for one in {robot, part} & {*world.objects}) for f in sums], step % 300
        if phase == 100:
            k = 1 + 2 * (step // 300) % 5
            count, part = count + 1, robot.remove_joint(f"hinge{k}", split=True, name="part")
        elif phase == 140:
            world.add_joint((robot, f"cube{k - 1}"), (part, f"cube{k}"), HINGE[k], AHEAD, BEHIND, name="latch")
        elif phase == 200:
            world.remove("latch")
            world.merge(robot, f"cube{k - 1}", part, f"cube{k}", HINGE[k], placed(robot, part, k), BEHIND)
            robot.set_pd_gains(joints={f"hinge{k}": GAINS})
        now = [sum(f(one.state) for one in {robot, part} & {*world.objects}) for f in sums]
        off, made = max(off, np.abs(now[0] - before[0]).max()), max(made, float(now[1] - before[1]))
        for one in {robot, part} & {*world.objects}:
            joints = [j for j in one.joint_names if j[:5] == "hinge"]
            one.set_pd_target(joints={j: 0.5 * math.sin(6.0 * world.time - 2.0 * int(j[5:])) for j in joints})
        world.step()
    way = math.hypot(*robot.body("cube0").position[:2])
    print(f"{count} cuts and docks, {seconds:g} s, {way:.2f} m; momentum changed by {off:.1e}, energy made {made:.1e}")
    return world


if __name__ == "__main__":
    world = main()
