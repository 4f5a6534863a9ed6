"""Random edit storms: worlds in contact, whose robots are docked, cut, edited, added, removed, saved and put back.

After every operation the laws that it promises are checked: momentum and energy through docks and cuts (both are taken
just before and after), restored snapshots have the hash they had and go on as they did, through any surgery since and
in both directions, a refused operation changes nothing, and all states stay finite.

    python -m benchmarks.storms --worlds 200 --edits 300 --seed 0
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable

import numpy as np

import rbdyn
from rbdyn import (
    Fixed,
    Floating,
    Geometry,
    Joint,
    Mechanism,
    Prismatic,
    Revolute,
    RigidBody,
    SpatialInertia,
    Spherical,
    Transform,
    World,
    collision,
)

KINDS = (Revolute((0, 1, 0)), Revolute((0.6, 0.0, 0.8)), Prismatic((1, 0, 0)), Spherical())
Robot = rbdyn.ArticulatedSystem


class Storm:
    """One World, and what may happen to it; with `returns` it also goes back to any of the last snapshots."""

    def __init__(self, seed: int, returns: bool = False) -> None:
        self.rng = np.random.default_rng([2026, seed])
        self.made, self.returns = 0, returns
        self.world = World(float(self.rng.choice([1e-3, 2e-3])), gravity=(0, 0, -9.81))
        self.world.add_ground(name="ground")
        self.world.sleeping = seed % 2 == 1  # in every second one things fall asleep, and soon
        self.world.sleep_time, self.world.sleep_speed = 0.02, 0.02
        self.done: Counter[str] = Counter()
        self.worst_momentum = self.worst_energy = 0.0
        self.kept: list[tuple[rbdyn.Snapshot, str, str, list[object]]] = []
        for _ in range(3):
            self.add_robot()
        self.add_ball()

    # ---- what there is ---------------------------------------------------------------------------

    def robots(self) -> list[Robot]:
        """All robots."""
        return [one for one in self.world.objects if isinstance(one, Robot)]

    def sums(self) -> tuple[np.ndarray, float]:
        """Momentum and kinetic energy of all robots."""
        h, energy = np.zeros(6), 0.0
        for robot in self.robots():
            h += rbdyn.momentum(robot.state)
            energy += rbdyn.kinetic_energy(robot.state)
        return h, energy

    def name(self) -> str:
        """One that nothing has."""
        self.made += 1
        return f"n{self.made}_"

    def link(self, name: str) -> RigidBody:
        """A body with a box."""
        sides = self.rng.uniform(0.05, 0.15, 3)
        mass = float(self.rng.uniform(0.3, 2.0))
        inertia = np.diag(mass / 12.0 * (sides @ sides - sides**2))
        return RigidBody(name, SpatialInertia(mass, (0, 0, 0), inertia), [Geometry(collision.Box(tuple(sides)))])

    def mechanism(self, n: int) -> Mechanism:
        """A floating tree."""
        prefix = self.name()
        m = Mechanism(RigidBody(f"{prefix}root"))
        m.attach(m.root_body, self.link(f"{prefix}0"), Joint(f"{prefix}base", Floating()))
        for k in range(1, n):
            parent = m.bodies[1 + int(self.rng.integers(k))]
            kind = KINDS[int(self.rng.integers(len(KINDS)))]
            pose = Transform(translation=self.rng.uniform(-0.15, 0.15, 3))
            joint = Joint(f"{prefix}{k}_j", kind, damping=0.05)
            m.attach(parent, self.link(f"{prefix}{k}"), joint, pose, pose)
        return m

    def some(self, robot: Robot) -> str:
        """A body of a robot."""
        names = [body.name for body in robot.mechanism.bodies[1:]]
        return names[int(self.rng.integers(len(names)))]

    # ---- what may happen ---------------------------------------------------------------------------

    def add_robot(self) -> None:
        if len(self.robots()) > 6:
            return
        robot = self.world.add_articulated_system(self.mechanism(int(self.rng.integers(1, 6))))
        robot.set_base_pose((*self.rng.uniform(-1, 1, 2), self.rng.uniform(0.3, 1.5)))
        robot.set_state(None, self.rng.normal(size=robot.nv))

    def add_ball(self) -> None:
        if len(self.world.objects) < 12:
            self.world.add_sphere(0.1, 1.0, name=self.name()).set_pose((*self.rng.uniform(-1, 1, 2), 1.0))

    def remove(self) -> None:
        objects = [one for one in self.world.objects if one.name != "ground"]
        if len(objects) > 4:
            self.world.remove(objects[int(self.rng.integers(len(objects)))])

    def constrain(self) -> None:
        robots = self.robots()
        if robots and len(self.world.constraints) < 4:
            robot = robots[int(self.rng.integers(len(robots)))]
            self.world.add_spring((robot, self.some(robot)), None, 20.0, 2.0)

    def dock(self) -> None:
        robots = self.robots()
        if len(robots) < 2:
            return
        i, j = self.rng.choice(len(robots), 2, replace=False)
        if robots[i].nv + robots[j].nv > 60:
            return
        kind = (Fixed(), *KINDS)[int(self.rng.integers(5))]
        ends = robots[i], self.some(robots[i]), robots[j], self.some(robots[j])
        self.watched(lambda: self.world.merge(*ends, Joint(self.name() + "dock", kind)))

    def cut(self) -> None:
        found = [(r, j) for r in self.robots() for j in r.mechanism.tree_joints]
        found = [(r, j) for r, j in found if r.mechanism.predecessor(j) is not r.mechanism.root_body]
        if found:
            robot, joint = found[int(self.rng.integers(len(found)))]
            self.watched(lambda: robot.remove_joint(joint, split=True, name=self.name()), 1e-11)

    def watched(self, operation: Callable[[], object], exact: float | None = None) -> None:
        """Momentum stays, energy does not grow; with `exact` it stays, too."""
        h, energy = self.sums()
        operation()
        now, left = self.sums()
        scale = 1.0 + np.abs(h).max() + energy
        self.worst_momentum = max(self.worst_momentum, float(np.abs(now - h).max()) / scale)
        self.worst_energy = max(self.worst_energy, (left - energy) / scale)
        assert np.abs(now - h).max() <= 1e-11 * scale, (h, now)
        assert left <= energy + 1e-11 * scale, (energy, left)
        assert exact is None or abs(left - energy) <= exact * scale, (energy, left)

    def weld(self) -> None:
        found = [(r, j) for r in self.robots() for j in r.mechanism.tree_joints if 0 < j.num_velocities < 6]
        if found:
            robot, joint = found[int(self.rng.integers(len(found)))]
            self.watched(lambda: robot.weld(joint))

    def unweld(self) -> None:
        for robot in self.robots():
            for joint in [one for one in robot._welded if one in robot.mechanism.joints][:1]:
                self.watched(lambda robot=robot, joint=joint: robot.unweld(joint))  # type: ignore[misc]
                return

    def grow(self) -> None:
        robots = [one for one in self.robots() if one.nv < 40]
        if robots:
            robot = robots[int(self.rng.integers(len(robots)))]
            pose = Transform(translation=self.rng.uniform(-0.2, 0.2, 3))
            robot.attach(self.mechanism(2), self.some(robot), Joint(self.name() + "grip", KINDS[0]), pose, prefix="x")

    def edit(self) -> None:
        robots = self.robots()
        if robots:
            robot = robots[int(self.rng.integers(len(robots)))]
            body = robot.body(self.some(robot))
            body.mass = float(self.rng.uniform(0.3, 2.0))
            robot.set_pd_gains(1.0, 0.1)

    def shrink(self) -> None:
        """An edit of the mechanism itself, which the World takes in before the next step."""
        found = [(r, j) for r in self.robots() for j in r.mechanism.tree_joints[1:]]
        if found:
            robot, joint = found[int(self.rng.integers(len(found)))]
            robot.mechanism.remove_subtree(joint)
            self.world.step()

    def refused(self) -> None:
        robots = self.robots()
        if not robots:
            return
        robot, before = robots[0], self.world.state_hash()
        try:
            self.world.merge(robot, self.some(robot), robot, self.some(robot), Joint("no", Fixed()))
        except rbdyn.Error:
            pass
        else:
            raise AssertionError("a robot was merged with itself")
        assert self.world.state_hash() == before

    def snapshot(self) -> None:
        kept, was = self.world.snapshot(), self.world.state_hash()
        self.world.step(2)
        after = self.world.state_hash()
        self.world.restore(kept)
        assert self.world.state_hash() == was
        self.world.step(2)
        assert self.world.state_hash() == after

    def keep(self) -> None:
        """A snapshot for later, and what follows it."""
        kept, was, facts = self.world.snapshot(), self.world.state_hash(), self.facts()
        self.world.step(2)
        self.kept = [*self.kept[-7:], (kept, was, self.world.state_hash(), facts)]

    def facts(self) -> list[object]:
        """Whose parts all robots are, by the objects themselves, and what compiling them anew gives."""
        found: list[object] = []
        for robot in self.robots():
            twin = rbdyn.State(rbdyn.Model(robot.mechanism))
            twin.set(robot.q, robot.v)
            assert np.array_equal(rbdyn.mass_matrix(twin), rbdyn.mass_matrix(robot.state))
            m = robot.mechanism
            found += [robot, robot.state, m.bodies, m.joints, [m.edge(j) for j in m.joints], robot.pd_gains]
            found += [[robot.body(body) for body in m.bodies[1:]], [robot.joint(j) for j in m.joints]]
        return [repr(one) if isinstance(one, tuple) and isinstance(one[0], np.ndarray) else one for one in found]

    def go_back(self) -> None:
        """To any of the last that were kept, whatever was done since: robots, parts, handles are the same objects."""
        if self.kept:
            kept, was, after, facts = self.kept[int(self.rng.integers(len(self.kept)))]
            self.world.restore(kept)
            assert self.world.state_hash() == was
            assert self.facts() == facts
            self.world.step(2)
            assert self.world.state_hash() == after

    def step(self) -> None:
        self.world.step(int(self.rng.integers(1, 8)))
        for robot in self.robots():
            assert np.isfinite(robot.q).all() and np.isfinite(robot.v).all()
            self.done["asleep"] += robot.asleep

    def run(self, edits: int) -> None:
        """So many random operations, each followed by a step."""
        choices = (self.add_robot, self.add_ball, self.remove, self.constrain, self.dock, self.dock, self.cut, self.cut,
                   self.weld, self.unweld, self.grow, self.edit, self.shrink, self.refused, self.snapshot)  # fmt: skip
        if self.returns:
            choices += self.keep, self.keep, self.go_back, self.go_back
        for _ in range(edits):
            choice = choices[int(self.rng.integers(len(choices)))]
            choice()
            self.done[choice.__name__] += 1
            try:
                self.step()
            except rbdyn.DivergenceError:
                self.done["diverged"] += 1
                self.world.reset() if hasattr(self.world, "reset") else None
                break


def main() -> None:
    """Run storms; print what was done and the worst figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    done: Counter[str] = Counter()
    momentum = energy = 0.0
    start = time.perf_counter()
    for seed in range(options.seed, options.seed + options.worlds):
        storm = Storm(seed, returns=True)
        try:
            storm.run(options.edits)
        except Exception:
            print(f"seed {seed}, after {sum(storm.done.values())} operations: {dict(storm.done)}")
            raise
        done += storm.done
        momentum, energy = max(momentum, storm.worst_momentum), max(energy, storm.worst_energy)
    print(f"{options.worlds} worlds, {time.perf_counter() - start:.0f} s: {dict(done)}")
    print(f"momentum kept to {momentum:.1e} of its scale, energy made {energy:.1e} at most")


if __name__ == "__main__":
    main()
