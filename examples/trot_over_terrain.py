"""A four-legged robot trots over fractal terrain, by a scripted gait and a few lines of feedback.

Diagonal pairs of feet swing in turn.  Each foot has a path below its hip, which inverse kinematics turns into targets of
implicit PD control; where a foot lands follows the speed of the trunk (M. Raibert, Legged robots that balance, 1986).
"""

import numpy as np

import rbdyn
from rbdyn import models
from rbdyn.collision import HeightMap

PAIRS = {"LF": 0.0, "RH": 0.0, "RF": 0.5, "LH": 0.5}  # leg -> when in the period it lifts off


class Trot:
    """Targets of the joints of a floating robot with legs LF, RF, LH and RH.

    Parameters
    ----------
    robot : ArticulatedSystem
        In the posture to which the gait returns, level, facing x.
    feet : dict
        Leg -> name of the frame of its foot.
    speed : float
        To reach, forwards [m/s].
    period, lift : float
        Of a stride [s], and how high a foot is lifted [m].
    """

    def __init__(self, robot, feet, speed=0.3, period=0.5, lift=0.08):
        self.robot, self.feet, self.speed, self.period, self.lift = robot, feet, speed, period, lift
        self.ghost = robot.state.copy()  # tries configurations out, its trunk where the frame of the trunk is
        self.q = np.array(robot.q)
        self.q[:7] = 0, 0, 0, 1, 0, 0, 0
        self.ghost.set(self.q)
        self.home = {leg: rbdyn.body_pose(self.ghost, foot)[:3, 3] for leg, foot in feet.items()}
        self.joints = {leg: [k for k, name in enumerate(robot.joint_names[1:]) if name.startswith(leg)] for leg in feet}
        self.swing_start = dict(self.home)

    def foot_targets(self, time):
        """Where the feet shall be, seen from the trunk [m]."""
        R = self.robot.body_pose(self.robot.body_names[0])[:3, :3]
        forward = R[:, 0] * (1, 1, 0) / np.hypot(R[0, 0], R[1, 0])
        level = np.array([forward, np.cross((0, 0, 1), forward), (0, 0, 1)])  # rows: axes of the trunk, kept level
        v = level @ self.robot.base_linear_velocity
        heading = np.arctan2(forward[1], forward[0])
        go = np.array([self.speed, -0.5 * self.robot.base_position[1]])  # and back to the x axis
        go = 0.25 * self.period * level[:2, :2] @ go  # half of the way in a stance, seen from the trunk
        balance = 0.06 * (v[:2] - level[:2, :2] @ (self.speed, 0.0))
        targets = {}
        for leg, begin in PAIRS.items():
            phase = (time / self.period - begin) % 1.0
            home = self.home[leg]
            turn = -0.25 * heading * np.array([-home[1], home[0]])  # faces x
            sweep = np.clip(go + turn, -0.12, 0.12)
            if phase < 0.5:  # in the air, to where it lands
                x = home + np.append(balance - np.cos(2.0 * np.pi * phase) * sweep, 0.0)
                x[2] += self.lift * np.sin(2.0 * np.pi * phase)
            else:  # on the ground, under a trunk that goes on
                x = home + np.append(balance + (3.0 - 4.0 * phase) * sweep, 0.0)
            targets[leg] = 0.6 * R.T @ level.T @ x + 0.4 * x  # levels the trunk
        return targets

    def update(self, time):
        """Set the PD targets for this time: Newton's method, from the targets before."""
        q = self.q
        for leg, x in self.foot_targets(time).items():
            columns = self.joints[leg]
            for _ in range(3):
                self.ghost.set(q)
                here = rbdyn.body_pose(self.ghost, self.feet[leg])[:3, 3]
                J = rbdyn.point_jacobian(self.ghost, self.feet[leg])[:, [6 + k for k in columns]]
                step = J.T @ np.linalg.solve(J @ J.T + 1e-4 * np.eye(3), x - here)
                q[[7 + k for k in columns]] += np.clip(step, -0.2, 0.2)
        self.robot.set_pd_target(q)


def main(seconds=10.0):
    """Print how far the robot comes, and how it stands over the ground below it."""
    world = rbdyn.World(time_step=0.002)
    terrain = HeightMap.fractal((101, 101), (20.0, 20.0), z_scale=0.12, frequency=0.25, octaves=5, seed=2)
    terrain = HeightMap(terrain.heights - terrain.height(0.0, 0.0), terrain.size)
    world.add_height_map(terrain)
    robot = world.add_articulated_system(models.quadruped())
    stance = models.QUADRUPED_STANCE.q
    robot.set_state(stance + np.eye(robot.nq)[2] * 0.05)
    robot.set_pd_gains(p=300.0, d=8.0)
    trot = Trot(robot, {leg: f"{leg}_FOOT" for leg in PAIRS})
    for k in range(round(seconds / 0.008)):
        trot.update(world.time)
        world.step(4)
        if k % 125 == 124:
            x, y, z = robot.base_position
            print(f"t = {world.time:4.1f} s   x = {x:5.2f} m   {z - terrain.height(x, y):.3f} m over the ground")


if __name__ == "__main__":
    main()
