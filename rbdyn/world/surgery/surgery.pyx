"""Surgery: the systems of one World exchanged for what an edit makes of their mechanisms."""

from rbdyn.world.surgery import operations

from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.registry.registry cimport Registry
from rbdyn.world.surgery.exchange cimport exchange
from rbdyn.world.surgery.promotion cimport as_robot


cdef class Surgery:
    """Exchanges systems of one World: each call wholly, or not at all.

    It raises BusyError while the World steps, between the halves of a step and within another edit.
    """

    cdef Registry registry

    def __init__(self, Registry registry not None):
        self.registry = registry

    attach = staticmethod(operations.attach)
    remove_joint = staticmethod(operations.remove_joint)
    remove_subtree = staticmethod(operations.remove_subtree)
    remove_fixed_joints = staticmethod(operations.remove_fixed_joints)
    replace_joint = staticmethod(operations.replace_joint)
    weld = staticmethod(operations.weld)
    unweld = staticmethod(operations.unweld)

    def exchange(self, list robots not None, edit):
        """Let `edit()` change the mechanisms of these robots, take in the Plan that it returns; return its result."""
        return exchange(self.registry, robots, edit)

    def as_robot(self, SingleBody body not None, operation):
        """Let `operation(robot)` do something with the robot that a single body becomes, or leave all as it was."""
        return as_robot(self.registry, body, operation)
