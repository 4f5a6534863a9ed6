"""What a COLLADA file would grow to, before pycollada reads it: some kilobytes can ask for gigabytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.errors import Error

MAX_NODES = 20_000  # of a scene, each counted as often as it is instantiated
MAX_DEPTH = 200
NODE = "{*}node"


def check_growth(root: Any) -> None:
    """Error if nodes are instantiated without end or too often, or polygons claim more corners than there are.

    Parameters
    ----------
    root : lxml element
        The root of the document.

    Raises
    ------
    Error
        Without a place.
    """
    _check_polygons(root)
    _check_nodes(root)
    for unit in root.iterfind("{*}asset/{*}unit"):
        meter = unit.get("meter")
        if meter is not None and not _positive(meter):
            raise Error(f"<unit meter={meter[:40]!r}>: a unit must be above 0 [m]")


def _positive(text: str) -> bool:
    try:
        return 0.0 < float(text) < 1e9
    except ValueError:
        return False


def _check_polygons(root: Any) -> None:
    """Each <vcount> must be covered by the indices of its <p>."""
    for holder in root.iter("{*}polylist", "{*}polygons"):
        counts = holder.find("{*}vcount")
        if counts is None:
            continue
        indices = holder.find("{*}p")
        claimed = np.array((counts.text or "").split(), dtype=np.float64)
        there = 0 if indices is None else len((indices.text or "").split())
        if not (claimed >= 0).all() or claimed.sum() > there:
            raise Error(f"<vcount> claims {claimed.sum():.9g} corners, and <p> has {there} numbers")


def _check_nodes(root: Any) -> None:
    """Count the nodes of the scenes, instances included; iterative, as they may be nested and shared."""
    named = {node.get("id"): node for node in root.iter(NODE) if node.get("id")}
    sizes: dict[Any, int] = {}
    started: set[Any] = set()
    for top in [*root.iter("{*}visual_scene"), *root.iterfind("{*}library_nodes/{*}node")]:
        pending = [(top, False)]
        while pending:
            node, ready = pending.pop()
            if node in sizes:
                continue
            inside = _inside(node, named)
            if ready:
                sizes[node] = 1 + sum(sizes[child] for child in inside)
                if sizes[node] > MAX_NODES:
                    raise Error(f"its nodes are instantiated more than {MAX_NODES} times")
                continue
            if node in started:
                raise Error(f"node {node.get('id') or '?'!r:.60} contains itself")
            started.add(node)
            if len(started) > MAX_NODES:
                raise Error(f"more than {MAX_NODES} nodes")
            pending.append((node, True))
            for child in inside:
                if child in started and child not in sizes:
                    raise Error(f"node {child.get('id') or '?'!r:.60} contains itself")
                pending.append((child, False))


def _inside(node: Any, named: dict[str, Any]) -> list[Any]:
    """The nodes in a node: its own, and those that it instantiates."""
    found = list(node.iterfind(NODE))
    for instance in node.iterfind("{*}instance_node"):
        target = named.get((instance.get("url") or "").lstrip("#"))
        if target is not None:
            found.append(target)
    return found
