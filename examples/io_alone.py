"""Robot files alone
=================

rbdyn.io on its own: a robot file becomes a mechanism, and a bad one says what is wrong with it.

    python examples/io_alone.py [robot.urdf]
"""

import sys

from rbdyn import Mechanism, models
from rbdyn.errors import Error
from rbdyn.io import convex_hull, load_urdf


def main() -> Mechanism:
    """Load a robot, look at it, then make the commonest mistake."""
    file = sys.argv[1] if len(sys.argv) > 1 else models.path("quadruped")
    robot = load_urdf(file)
    print(robot)
    print(f"mass: {sum(body.inertia.mass for body in robot.bodies):.2f} kg")
    print("assumed or ignored:", *(robot.diagnostics or ["nothing"]), sep="\n  ")

    try:
        load_urdf('<robot name="r">\n<link name="a"><inertial><mass value="0,5"/><inertia/></inertial></link></robot>')
    except Error as error:
        print(f"\na bad file: {error}")

    vertices, faces = convex_hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.1, 0.1, 0.1)])
    print(f"\nhull of five points: {len(vertices)} corners, {len(faces)} faces")
    return robot


if __name__ == "__main__":
    robot = main()
