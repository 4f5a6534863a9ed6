"""Order of a mechanism's tree joints, which is that of q and v: depth first, or as the caller lists them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from rbdyn.arguments import shown
from rbdyn.errors import Error, unknown_name
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.mechanism.surgery.commit import commit

DEPTH_FIRST = "depth_first"
JointOrder = str | Iterable[str] | None


def depth_first(mechanism: Mechanism) -> list[Joint]:
    """Tree joints depth first: a joint, then all that hang on it; siblings keep their order."""
    order: list[Joint] = []
    waiting = [*reversed(mechanism.joints_to_children(mechanism.root_body))]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += reversed(mechanism.joints_to_children(mechanism.successor(joint)))
    return order


def reorder(mechanism: Mechanism, wanted: JointOrder) -> None:
    """Bring the tree joints of a mechanism that was read into an order; its nominal configuration follows.

    Parameters
    ----------
    mechanism : Mechanism
        Changed in place.
    wanted : None, "depth_first" or iterable of str
        None keeps the order.  Names of joints that move come in their order, behind a floating base; the others follow
        as they stand, and fixed joints, which are not in q, come as early as they can.

    Raises
    ------
    Error
        If `wanted` is neither, a joint is fixed, listed twice, or listed before one that it hangs on.
    UnknownNameError
        If there is no joint of a name.
    """
    if wanted is None:
        return
    if isinstance(wanted, str) and wanted == DEPTH_FIRST:
        order = depth_first(mechanism)
    else:
        order = _as_listed(mechanism, _checked(mechanism, wanted))
    q = mechanism.nominal_configuration
    if q is not None:
        q = configuration_in(order, q, mechanism.tree_joints)
    commit(mechanism, order, mechanism.non_tree_joints, {j: mechanism.edge(j) for j in mechanism.joints})
    mechanism.nominal_configuration = q


def configuration_in(order: Sequence[Joint], q: Sequence[float], given: Sequence[Joint]) -> tuple[float, ...]:
    """Coordinates in the order of `order`, from `q` in that of `given`."""
    parts: dict[Joint, Sequence[float]] = {}
    at = 0
    for joint in given:
        parts[joint] = q[at : at + joint.num_positions]
        at += joint.num_positions
    return tuple(x for joint in order for x in parts[joint])


def _checked(mechanism: Mechanism, wanted: object) -> list[str]:
    """The names, each of a joint that moves, none twice, none before one that it hangs on."""
    if isinstance(wanted, (str, bytes)) or not isinstance(wanted, Iterable):
        raise Error(f"joint_order must be names of joints, or {DEPTH_FIRST!r}, got {shown(wanted)}")
    names, known = list(wanted), {joint.name: joint for joint in mechanism.tree_joints}
    for k, name in enumerate(names):
        if not isinstance(name, str) or name not in known:
            said = name if isinstance(name, str) else shown(name)
            raise unknown_name("joint", said, known, f"robot {mechanism.name!r}, for joint_order")
        if not known[name].num_velocities:
            raise Error(f"joint_order[{k}]: joint {name!r} is fixed, and has no place in q")
        if name in names[:k]:
            raise Error(f"joint_order[{k}]: joint {name!r} is there twice")
    rank = _ranks(mechanism, names)
    for name in names:
        _check_behind(mechanism, known[name], rank)
    return names


def _ranks(mechanism: Mechanism, names: Sequence[str]) -> dict[Joint, int]:
    """Place of each joint; the smaller one comes first, equal ones as they stand."""
    place = {name: k for k, name in enumerate(names)}
    base = mechanism.base_joint
    early = {joint for joint in mechanism.tree_joints if not joint.num_velocities}
    if base.num_velocities and base.name not in place:
        early.add(base)
    return {j: -1 if j in early else place.get(j.name, len(place)) for j in mechanism.tree_joints}


def _check_behind(mechanism: Mechanism, joint: Joint, rank: dict[Joint, int]) -> None:
    """Error if a joint that this one hangs on comes later."""
    body = mechanism.predecessor(joint)
    while body is not mechanism.root_body:
        above = mechanism.joint_to_parent(body)
        if rank[above] > rank[joint]:
            raise Error(f"joint_order: {joint.name!r} comes before {above.name!r}, on which it hangs")
        body = mechanism.predecessor(above)


def _as_listed(mechanism: Mechanism, names: Sequence[str]) -> list[Joint]:
    """Always the joint of the least rank among those whose parent is in (Kahn 1962)."""
    joints, rank = mechanism.tree_joints, _ranks(mechanism, names)
    key = {joint: (rank[joint], k) for k, joint in enumerate(joints)}
    ready = [key[joint] for joint in mechanism.joints_to_children(mechanism.root_body)]
    heapq.heapify(ready)
    order: list[Joint] = []
    while ready:
        joint = joints[heapq.heappop(ready)[1]]
        order.append(joint)
        for child in mechanism.joints_to_children(mechanism.successor(joint)):
            heapq.heappush(ready, key[child])
    return order
