"""Five steel balls in a row: an elastic blow at one end comes out at the other."""

import numpy as np

import rbdyn


def main(radius=0.05, gap=0.002):
    """Print the speeds before and after; momentum and energy pass through four balls at rest."""
    world = rbdyn.World(time_step=0.001, gravity=(0, 0, 0))
    world.set_default_material(friction=0.0, restitution=1.0)
    balls = [world.add_sphere(radius, mass=1.0, name=f"ball {k}") for k in range(5)]
    for k, ball in enumerate(balls):
        ball.set_pose(position=(k * (2 * radius + gap), 0, 0))
    balls[0].set_velocity(linear=(1.0, 0, 0))
    for _ in range(5):
        speeds = np.array([ball.linear_velocity[0] for ball in balls])
        print(f"t = {world.time:.3f} s   speeds {speeds.round(6) + 0.0} m/s   energy {0.5 * speeds @ speeds:.6f} J")
        world.step(5)


if __name__ == "__main__":
    main()
