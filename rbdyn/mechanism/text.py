"""A mechanism in words: its tree, one body a line, and the joints that close loops."""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import islice

from rbdyn.mechanism.graph import Edge, Graph
from rbdyn.mechanism.joint import Joint

MAX_LINES = 200
MAX_DEPTH = 40  # of indentation: the lines of a long chain stay readable


def text(graph: Graph) -> str:
    """What repr() shows: counts, then the tree, at most MAX_LINES of it."""
    lines = list(islice(tree_lines(graph), MAX_LINES))
    more = len(graph.bodies) + len(graph.non_tree_joints) - len(lines)
    return "\n".join([heading(graph), *lines, *([f"  ... and {more} more"] if more > 0 else [])])


def html_text(graph: Graph) -> str:
    """The same for a notebook; names may hold any character."""
    head, *lines = text(graph).split("\n")
    return f"<pre><b>{html.escape(head)}</b>\n" + html.escape("\n".join(lines)) + "</pre>"


def heading(graph: Graph) -> str:
    """Name and sizes."""
    loops = len(graph.non_tree_joints)
    counts = f"{len(graph.bodies)} bodies, {len(graph.tree_joints)} tree joints, {loops} loop joints"
    return f"Mechanism({graph.name!r}: {counts}, nq={graph.num_positions}, nv={graph.num_velocities})"


def printable(name: str) -> str:
    """A name, with escapes for what is not printable: control characters, line ends, reversed writing."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def tree_lines(graph: Graph) -> Iterator[str]:
    """Each body under its parent; then the loop joints."""
    yield f"  {printable(graph.root_body.name)}"
    left = [(joint, 1) for joint in reversed(graph.joints_to_children(graph.root_body))]
    while left:
        joint, depth = left.pop()
        edge = graph.edge(joint)
        indent = "  " * min(depth + 1, MAX_DEPTH)
        yield indent + _joint_line(joint, edge)
        left += [(child, depth + 1) for child in reversed(graph.joints_to_children(edge.successor))]
    for joint in graph.non_tree_joints:
        edge = graph.edge(joint)
        yield "  loop: " + _joint_line(joint, edge)


def _joint_line(joint: Joint, edge: Edge) -> str:
    child, name, parent = map(printable, (edge.successor.name, joint.name, edge.predecessor.name))
    return f"{child} <- {name} ({joint.joint_type.kind}) <- {parent}"
