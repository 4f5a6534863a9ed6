"""Newton's cradle
===============

Newton's cradle, as in RaiSim: five steel balls, each on two wires; a blow at one end comes out at the other.
"""

import numpy as np

import rbdyn

RADIUS, LENGTH, SPREAD = 0.05, 1.0, 0.4  # of a ball, below the rail, and of the wires at the rail [m]


def hang(world, x):
    """A ball at rest on two wires that make a V, so that it swings along x."""
    ball = world.add_sphere(RADIUS, mass=1.0)
    ball.set_pose(position=(x, 0, 0))
    for y in (-SPREAD, SPREAD):
        world.add_stiff_wire(ball, None, point_b=(x, y, LENGTH))
    return ball


def main(angle=0.5, gap=1e-3):
    """Let the first ball go, and print how fast the balls are, and how high at most, before and after the blow."""
    world = rbdyn.World(time_step=0.001)
    world.set_default_material(friction=0.0, restitution=1.0)
    balls = [hang(world, k * (2 * RADIUS + gap)) for k in range(5)]
    balls[0].set_pose(position=(-LENGTH * np.sin(angle), 0, LENGTH * (1 - np.cos(angle))))
    start = balls[0].position[2]
    print(f"the first ball is held {start:.4f} m high; below it will have {np.sqrt(2 * 9.81 * start):.4f} m/s")
    for _ in range(6):
        world.step(100)
        speeds = np.array([ball.linear_velocity[0] for ball in balls])
        print(f"t = {world.time:.2f} s   speeds {speeds.round(3) + 0.0} m/s")
    highest = np.zeros(5)
    for _ in range(600):
        world.step()
        highest = np.maximum(highest, [ball.position[2] for ball in balls])
    print(f"then they come to {highest.round(4) + 0.0} m")
    stretch = max(abs(wire.stretch) for wire in world.constraints)
    print(f"and no wire is longer or shorter than it was by more than {1e6 * stretch:.0f} um")
    return world


if __name__ == "__main__":
    world = main()
