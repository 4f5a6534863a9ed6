"""Shapes that were added to the backend directly do not crash the process."""

import subprocess
import sys

SHAPES_OF_NOBODY = """
from rbdyn.world import World
from rbdyn.collision import Sphere
world = World(1e-3)
world.add_ground()
for _ in range(70):
    world.collision.add_shape(Sphere(0.1), 0)
ball = world.add_sphere(0.1, 1)
world.collision.add_shape(Sphere(0.5), 2)
try:
    world.step(3)
    world.contacts
except Exception as problem:
    print(type(problem).__name__)
print("alive")
"""


def test_shapes_given_to_the_backend_behind_the_world_s_back_do_not_crash():
    done = subprocess.run([sys.executable, "-c", SHAPES_OF_NOBODY], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "alive" in done.stdout


