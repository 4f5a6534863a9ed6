"""Edits: what may be changed of the objects of a World while it lives, as handles and objects ask for it."""

from rbdyn.errors import Error, RemovedError
from rbdyn.mechanism.surgery.filtering import ignored_pairs

from rbdyn.world.edits.filters cimport set_filters, set_ignored
from rbdyn.world.edits.geometry cimport add_geometry, remove_geometry, set_geometry
from rbdyn.world.edits.inertia cimport scale_inertia, set_inertia, set_single_inertia
from rbdyn.world.edits.joints cimport place_joint, set_joint
from rbdyn.world.edits.renewal cimport renew
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.objects.single_body cimport SingleBody
from rbdyn.world.registry.checks cimport leave_unchecked, overlaps_of
from rbdyn.world.registry.registry cimport Registry


cdef class Edits:
    """Changes numbers, shapes and filters of one World's objects in place: each call wholly, or not at all.

    All of them raise BusyError while the World steps, between the halves of a step and within another edit.
    """

    cdef Registry registry

    def __init__(self, Registry registry not None):
        self.registry = registry

    cdef Registry here(self):
        """The registry; Error for Edits that no World made."""
        if self.registry is None:
            raise Error("Edits are made by a World")
        return self.registry

    cdef Registry of(self, WorldObject obj):
        """The registry of this object; RemovedError if it is not in it."""
        if self.here().lock is not obj.lock:
            raise RemovedError(f"{obj!r} is not in this World")
        return self.registry

    def renew(self, ArticulatedSystem robot not None):
        """Take in what was edited of the robot's mechanism."""
        renew(self.of(robot), robot)

    def set_body(self, ArticulatedSystem robot not None, body, mass=None, com=None, inertia=None):
        """Mass [kg], centre of mass [m] and inertia about it [kg m^2] of a RigidBody of the robot's mechanism."""
        set_inertia(self.of(robot), robot, body, mass, com, inertia)

    def scale_body(self, ArticulatedSystem robot not None, body, factor):
        """Multiply mass and inertia of a RigidBody of the robot's mechanism."""
        scale_inertia(self.of(robot), robot, body, factor)

    def set_joint(self, ArticulatedSystem robot not None, joint, **values):
        """Attributes of a Joint of the robot's mechanism, and its axis."""
        set_joint(self.of(robot), robot, joint, values)

    def place_joint(self, ArticulatedSystem robot not None, joint, joint_pose=None, successor_pose=None):
        """Move a Joint on its bodies, as `Mechanism.place_joint`."""
        place_joint(self.of(robot), robot, joint, joint_pose, successor_pose)

    def set_single(self, SingleBody body not None, mass=None, com=None, inertia=None):
        """The same of a single body; its frame goes to the new centre of mass."""
        set_single_inertia(self.of(body), body, mass, com, inertia)

    def set_geometry(self, WorldObject obj not None, body, index, **values):
        """Attributes of a Geometry: number `index` of a RigidBody of a robot, or of a single body (`body` None)."""
        set_geometry(self.of(obj), obj, body, index, values)

    def add_geometry(self, WorldObject obj not None, body, geometry):
        """A shape more, on a RigidBody of a robot, or a single body."""
        add_geometry(self.of(obj), obj, body, geometry)

    def remove_geometry(self, WorldObject obj not None, body, index):
        """A shape less."""
        remove_geometry(self.of(obj), obj, body, index)

    def ignore_collision(self, a, b, ignored):
        """Whether two objects, or links of them, never collide with one another."""
        set_ignored(self.here(), a, b, ignored)

    def set_filters(self, ArticulatedSystem robot not None, self_collision=None, collide_with_parent=None,
                    contacts_per_self_pair=None):
        """How a robot collides with itself; None stays."""
        set_filters(self.of(robot), robot, self_collision, collide_with_parent, contacts_per_self_pair)

    def ignore_overlapping(self, ArticulatedSystem robot not None):
        """Bodies of a robot that are in each other where it stands never collide with one another."""
        cdef Registry registry = self.of(robot)
        registry.lock.check_settable()
        for _, a, b, _, _ in overlaps_of(registry, robot):
            set_ignored(registry, (robot, a), (robot, b), True)

    def ignored_of(self, ArticulatedSystem robot not None):
        """Pairs of its bodies that were told never to collide: names, in the order of the bodies."""
        cdef Registry registry = self.of(robot)
        place = {body: k for k, body in enumerate(robot.mechanism.bodies)}
        own = [[link for obj, link in pair if obj is robot] for pair in registry.filters.ignored]
        own = [pair for pair in own if len(pair) == 2] + list(ignored_pairs(robot.mechanism))
        found = sorted({tuple(sorted([place[body] for body in pair])) for pair in own})
        return tuple([(robot.mechanism.bodies[a].name, robot.mechanism.bodies[b].name) for a, b in found])

    def leave_unchecked(self):
        """Say nothing of what is probably a mistake by now, as another World like this one says it."""
        leave_unchecked(self.here())

    def filters_of(self, ArticulatedSystem robot not None):
        """The same three, as they are; 0 contacts are all."""
        self.of(robot)
        return bool(robot.self_collides), bool(robot.meets_parents), robot.self_contacts
