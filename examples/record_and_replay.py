"""Record and replay
=================

Recordings: what a World went through as arrays by name, replayed to the bit, and read from its file.
"""

import tempfile
from pathlib import Path

import rbdyn
from rbdyn import models

P, D = 250.0, 10.0  # [N m/rad], [N m s/rad]


def dropped_quadruped() -> rbdyn.World:
    """It falls by 0.2 m and stands."""
    world = rbdyn.World(time_step=0.002)
    world.add_ground()
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    q = models.QUADRUPED_STANCE.q.copy()
    q[2] += 0.2
    robot.set_state(q)
    robot.set_pd_gains(P, D)
    robot.set_pd_target(models.QUADRUPED_STANCE.q)
    return world


def main() -> rbdyn.World:
    """Record a second, ask, replay."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drop.rbdyn"
        world = dropped_quadruped()
        with world.record(contacts=True, path=file):
            world.step(500)
        rec = rbdyn.load_recording(file)
        print(rec)

        force = rec.contact_forces("dog")[:, 2]
        hardest = int(force.argmax())
        print(f"hardest landing: {force[hardest]:.0f} N after {rec.time[hardest]:.2f} s, {force[-1]:.1f} N at the end")
        lost = rec.kinetic_energy("dog") + rec.potential_energy("dog")
        print(f"energy lost to the ground and the joints: {lost[0] - lost[-1]:.1f} J")
        print(f"the base in steps of 0.25 s: {rec.resample(rate=4.0).positions('base')[:, 2].round(3)} m")

        again = dropped_quadruped()
        print(f"replayed in another World: {'equal' if rec.replay(again) == world.state_hash() else 'different'} bits")
        rec.save(Path(folder) / "drop.csv")  # or .npz; .html, .mp4, .gif and .png to look at; rec.view() to play it
    return again


if __name__ == "__main__":
    world = main()
