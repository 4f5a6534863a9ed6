"""Which bodies of a mechanism collide with one another: sampled configurations, as MoveIt's setup assistant does."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from rbdyn.algorithms.kinematics.forward import frame_poses
from rbdyn.algorithms.loops.closure import project_configuration
from rbdyn.arguments import number, shown, whole
from rbdyn.collision import NativeBackend
from rbdyn.errors import Error, LoopError
from rbdyn.mechanism import Mechanism, Mimic
from rbdyn.mechanism.neighbours import adjacent_pairs
from rbdyn.model import Model, State
from rbdyn.spatial.rotations import Array

Names = tuple[str, str]
Pair = tuple[int, int]
ALWAYS = 0.95  # share of the samples: the "min. collisions for always-colliding pairs" of MoveIt's setup assistant


@dataclass(frozen=True)
class SelfCollisions:
    """How often two bodies of a mechanism collide.

    Attributes
    ----------
    samples : int
        Configurations that were looked at.
    shares : dict of (str, str) to float
        Share of the samples in which two bodies collide, by their names, in the order of the bodies: of each two that
        have shapes, groups and masks that let them collide, and no joint between them.
    at_rest : tuple of (str, str)
        Pairs that collide at the nominal configuration, or at the neutral one within the limits.
    always_share : float
        Share from which a pair counts as always.
    """

    samples: int
    shares: dict[Names, float]
    at_rest: tuple[Names, ...]
    always_share: float = ALWAYS

    @property
    def always(self) -> tuple[Names, ...]:
        """Pairs that collide in `always_share` of the samples and more."""
        return tuple(pair for pair, share in self.shares.items() if share >= self.always_share)

    @property
    def never(self) -> tuple[Names, ...]:
        """Pairs that collide in no sample, and not at rest."""
        rest = set(self.at_rest)
        return tuple(pair for pair, share in self.shares.items() if share == 0.0 and pair not in rest)

    @property
    def reasons(self) -> dict[Names, str]:
        """MoveIt's reasons to disable pairs, for `rbdyn.io.save_srdf`: "Always", "Default" (at rest), "Never"."""
        found = dict.fromkeys(self.never, "Never") | dict.fromkeys(self.at_rest, "Default")
        return found | dict.fromkeys(self.always, "Always")


def sample_self_collisions(
    mechanism: Mechanism, samples: int = 10_000, seed: int = 0, always_share: float = ALWAYS
) -> SelfCollisions:
    """Count in how many random configurations two bodies collide.

    Joints are sampled as by `Model.random`, within their limits; joints that follow others follow, and loops are
    closed.  Samples in which they cannot be closed are left out.  Pairs of `ignore_collision` are counted, too.

    Parameters
    ----------
    mechanism : Mechanism
        The robot, with the shapes of its root body; it stays as it is.
    samples : int
        Configurations to look at: 1 to 1e7.  A pair that collides in a share p of all is missed with probability
        (1 - p)^samples.
    seed : int
        Of the random numbers: the same seed gives the same result.
    always_share : float
        Share of the samples from which a pair counts as always, above 0 to 1; 0.95 in MoveIt.

    Returns
    -------
    found : SelfCollisions

    Raises
    ------
    LoopError
        If its loops close in none of the samples.

    Examples
    --------
    >>> from rbdyn import models
    >>> found = sample_self_collisions(models.quadruped(), samples=50)
    >>> found.samples, len(found.shares)
    (50, 66)
    """
    if not isinstance(mechanism, Mechanism):
        raise Error(f"mechanism must be a Mechanism, got {shown(mechanism)}")
    n = whole(samples, "samples", least=1, most=10**7)
    share = number(always_share, "always_share", above=0.0, high=1.0)
    rng = np.random.default_rng(whole(seed, "seed", least=0))
    model = Model(mechanism)
    state, backend = State(model), _shapes_of(mechanism)
    names = [body.name for body in mechanism.bodies]
    counts: Counter[Pair] = Counter()
    drawn = 0
    for _ in range(n):
        q = _closed(model, _followed(model, model.random(rng)))
        if q is not None:
            drawn += 1
            counts.update(_meeting(backend, state, names, q))
    if not drawn:
        raise LoopError(f"the loops of {mechanism.name!r} close in none of {n} random configurations")
    at_rest = _meeting(backend, state, names, _configuration_at_rest(model))
    shares = {(names[a], names[b]): counts[a, b] / drawn for a, b in _looked_at(mechanism)}
    return SelfCollisions(drawn, shares, tuple((names[a], names[b]) for a, b in sorted(at_rest)), share)


def _configuration_at_rest(model: Model) -> Array:
    """The nominal configuration, or the neutral one, joints of one coordinate within their limits."""
    nominal = model.mechanism.nominal_configuration
    if nominal is not None and len(nominal) == model.nq:
        return np.array(nominal)
    q = model.neutral()
    for joint in model.mechanism.tree_joints:
        if joint.position_limits is not None and joint.num_positions == joint.num_velocities == 1:
            k = model.joint_q_index(joint.name)
            q[k] = np.clip(q[k], *joint.position_limits)
    return _followed(model, q)


def _looked_at(mechanism: Mechanism) -> list[Pair]:
    """Numbers of bodies that may collide, a < b."""
    solid = [k for k, body in enumerate(mechanism.bodies) if body.collision]
    near = adjacent_pairs(mechanism)
    filters = [[(item.group, item.mask) for item in body.collision] for body in mechanism.bodies]
    return [
        (a, b)
        for a, b in combinations(solid, 2)
        if frozenset((mechanism.bodies[a], mechanism.bodies[b])) not in near
        and any(f[0] & g[1] and g[0] & f[1] for f in filters[a] for g in filters[b])
    ]


def _shapes_of(mechanism: Mechanism) -> NativeBackend:
    """Its shapes, each on the body of its number in `mechanism.bodies`."""
    backend = NativeBackend()
    place = {body: k for k, body in enumerate(mechanism.bodies)}
    for body, k in place.items():
        for item in body.collision:
            backend.add_shape(item.shape, k, item.pose.matrix, item.group, item.mask)
    for a, b in (tuple(pair) for pair in adjacent_pairs(mechanism)):
        backend.exclude(place[a], place[b])
    return backend


def _meeting(backend: NativeBackend, state: State, names: list[str], q: Array) -> set[Pair]:
    """Numbers of bodies that collide at q, a < b."""
    state.set(q)
    contacts = backend.query(frame_poses(state, names))
    pairs = zip(contacts["body_a"].tolist(), contacts["body_b"].tolist(), strict=True)
    return {(min(pair), max(pair)) for pair in pairs}


def _followed(model: Model, q: Array) -> Array:
    """q with joints that follow others where these put them."""
    leaders = {joint.name: joint for joint in model.mechanism.tree_joints}
    for joint in leaders.values():
        chain: list[tuple[str, Mimic]] = []
        one = joint
        while one.mimic is not None and one.mimic.joint in leaders and len(chain) <= len(leaders):
            chain.append((one.name, one.mimic))
            one = leaders[one.mimic.joint]
        for name, mimic in reversed(chain):
            leader = q[model.joint_q_index(mimic.joint)]
            q[model.joint_q_index(name)] = mimic.offset + mimic.multiplier * leader
    return q


def _closed(model: Model, q: Array) -> Array | None:
    """q with its loops closed; None if they do not close."""
    if not model.has_loops:
        return q
    try:
        return project_configuration(model, q)
    except LoopError:
        return None
