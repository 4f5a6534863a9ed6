"""A trot over terrain
===================

A four-legged robot trots over fractal terrain: diagonal pairs of feet swing in turn (M. Raibert, 1986).
"""

import numpy as np

import rbdyn
from rbdyn import models
from rbdyn.collision import HeightMap

LIFT_OFF = {"LF": 0.0, "RH": 0.0, "RF": 0.5, "LH": 0.5}  # leg -> when in the period


class Trot:
    """PD targets of a robot that stands level now and faces x; its feet are the frames LF_FOOT and so on."""

    def __init__(self, robot, speed=0.3, period=0.5, lift=0.08):
        self.robot, self.speed, self.period, self.lift = robot, speed, period, lift  # [m/s], [s], [m]
        self.ghost, self.q = robot.state.copy(), np.array(robot.q)  # to try configurations out, the trunk at the origin
        self.q[:7] = 0, 0, 0, 1, 0, 0, 0
        self.ghost.set(self.q)
        self.home = {leg: rbdyn.body_pose(self.ghost, f"{leg}_FOOT")[:3, 3] for leg in LIFT_OFF}
        self.joints = {leg: [k for k, j in enumerate(robot.joint_names[1:]) if j.startswith(leg)] for leg in LIFT_OFF}

    def update(self, time):
        R = (robot := self.robot).body_pose(self.robot.body_names[0])[:3, :3]
        heading = np.arctan2(R[1, 0], R[0, 0])
        c, s = np.cos(heading), np.sin(heading)
        level = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])  # rows: axes of the trunk, kept level
        half = 0.25 * self.period * level[:2, :2] @ (self.speed, -0.5 * robot.base_position[1])  # to the x axis
        balance = 0.06 * level[:2] @ (robot.base_linear_velocity - (self.speed, 0, 0))
        for leg, start in LIFT_OFF.items():
            phase, home = (time / self.period - start) % 1.0, self.home[leg]
            sweep = np.clip(half + 0.25 * heading * np.array([home[1], -home[0]]), -0.12, 0.12)  # turns back to x
            share, up = (-np.cos(2 * np.pi * phase), np.sin(2 * np.pi * phase)) if phase < 0.5 else (3 - 4 * phase, 0.0)
            x = home + np.append(balance + share * sweep, self.lift * up)
            self.reach(leg, 0.6 * R.T @ level.T @ x + 0.4 * x)  # seen from the trunk; so that it levels itself
        robot.set_pd_target(self.q)

    def reach(self, leg, x):
        """Bend a leg of the ghost until its foot is at x [m]: Newton's method."""
        k = np.array(self.joints[leg])
        for _ in range(3):
            self.ghost.set(self.q)
            J = rbdyn.point_jacobian(self.ghost, f"{leg}_FOOT")[:, 6 + k]
            error = x - rbdyn.body_pose(self.ghost, f"{leg}_FOOT")[:3, 3]
            self.q[7 + k] += np.clip(J.T @ np.linalg.solve(J @ J.T + 1e-4 * np.eye(3), error), -0.2, 0.2)


if __name__ == "__main__":
    world = rbdyn.World(time_step=0.002)
    terrain = HeightMap.fractal((101, 101), (20.0, 20.0), z_scale=0.12, frequency=0.25, octaves=5, seed=2)
    world.add_height_map(terrain, position=(0, 0, -terrain.height(0.0, 0.0)))
    robot = world.add_articulated_system(models.quadruped())
    robot.set_state(models.QUADRUPED_STANCE.q + np.eye(robot.nq)[2] * 0.05)
    robot.set_pd_gains(p=300.0, d=8.0)
    trot = Trot(robot)
    for k in range(1250):
        trot.update(world.time)
        world.step(4)
        if k % 125 == 124:
            print(f"t = {world.time:4.1f} s   trunk at ({', '.join(f'{x:6.3f}' for x in robot.base_position)}) m")
