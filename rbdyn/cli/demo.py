"""``demo``: the bundled quadruped drops and stands."""

from __future__ import annotations

import argparse
import warnings
from typing import Any

from rbdyn import models
from rbdyn.cli.seeing import add_seeing, recorded, saved_as, shown_until_closed
from rbdyn.cli.timed import print_table, run_for
from rbdyn.errors import InactiveFeatureWarning
from rbdyn.world import ArticulatedSystem, World

SECONDS = 4.0
DROP = 0.2  # [m] of air under the feet
PAGES: dict[str, dict[str, Any]] = {
    "demo.html": {"show": ["contacts"]},
    "demo.png": {"frame": 0, "width": 960, "height": 600},
}
P, D = 250.0, 10.0  # [N m/rad], [N m s/rad]


def add_to(commands: Any) -> None:
    """Declare the command."""
    text = "drop the bundled quadruped and let it stand under PD control for 4 simulated seconds"
    command = commands.add_parser("demo", help=text, description=text, allow_abbrev=False)
    add_seeing(command)
    command.add_argument("--pages", action="store_true", help="write demo.html, which plays it, and demo.png, too")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Drop, stand, report."""
    stance = models.QUADRUPED_STANCE.q
    start = stance.copy()
    start[2] += DROP
    world = World(time_step=0.002)
    world.add_ground()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InactiveFeatureWarning)  # it stays far from its limits
        robot = world.add_articulated_system(models.quadruped())
    robot.set_state(start)
    robot.set_pd_gains(P, D)
    robot.set_pd_target(stance)
    if args.view:
        with recorded(world, args.record):
            return shown_until_closed(world)
    with recorded(world, args.record), world.record(contacts=True) as recorder:
        timing = run_for(world, SECONDS, "quadruped")
    feet = foot_forces(robot)
    weight = -world.gravity[2] * robot.total_mass
    print_table(
        f"quadruped, {robot.total_mass:.1f} kg, {robot.nv} degrees of freedom, dropped by {DROP} m",
        [
            *timing.rows,
            ("base height", f"{robot.q[2]:.3f} m"),
            *((f"force on {foot}", f"{force:.2f} N") for foot, force in feet.items()),
            ("sum of foot forces", f"{sum(feet.values()):.2f} N"),
            ("weight", f"{weight:.2f} N"),
            *(saved_as(recorder, PAGES) if args.pages else ()),
        ],
    )
    return 0


def foot_forces(robot: ArticulatedSystem) -> dict[str, float]:
    """Shape that touches something -> vertical force on it [N]."""
    forces: dict[str, float] = {}
    for contact in robot.contacts:
        shape = contact.geometry_a if contact.object_a is robot else contact.geometry_b
        foot = shape.split("/")[0]
        forces[foot] = forces.get(foot, 0.0) + float(contact.force_on(robot)[2])
    return forces
