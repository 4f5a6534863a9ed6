"""Random mechanisms, and law tests for backends of your own."""

from rbdyn.testing.collision import check_collision_backend
from rbdyn.testing.conformance import PairReport, conformance, conformance_table
from rbdyn.testing.contact import check_contact_solver
from rbdyn.testing.random_mechanisms import (
    add_random_loops,
    rand_chain_mechanism,
    rand_floating_tree_mechanism,
    rand_tree_mechanism,
    random_inertia,
    random_transform,
    random_tree,
)

__all__ = [
    "PairReport",
    "add_random_loops",
    "check_collision_backend",
    "check_contact_solver",
    "conformance",
    "conformance_table",
    "rand_chain_mechanism",
    "rand_floating_tree_mechanism",
    "rand_tree_mechanism",
    "random_inertia",
    "random_transform",
    "random_tree",
]
