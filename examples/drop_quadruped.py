"""A quadruped drops and stands
============================

A four-legged robot drops by 20 cm and stands: World, implicit PD control, contact forces.
"""

import numpy as np

import rbdyn
from rbdyn import models


def main():
    """Print the height of the base as it falls and settles, and who carries the weight in the end."""
    stance = models.QUADRUPED_STANCE.q  # x, y, z, quaternion w x y z, twelve joint angles
    world = rbdyn.World(time_step=0.002)
    world.add_ground()
    robot = world.add_articulated_system(models.quadruped())
    robot.set_state(stance + np.eye(robot.nq)[2] * 0.2)
    robot.set_pd_gains(p=250.0, d=10.0)  # on the joints; nothing holds the base
    robot.set_pd_target(stance)
    for _ in range(10):
        world.step(100)
        print(f"t = {world.time:.1f} s   base at {robot.q[2]:.4f} m")
    for contact in robot.contacts:
        print(f"{contact.geometry_b:10s} carries {contact.force_on(robot)[2]:.2f} N")
    print(f"weight            {9.81 * robot.total_mass:.2f} N")
    return world


if __name__ == "__main__":
    world = main()
