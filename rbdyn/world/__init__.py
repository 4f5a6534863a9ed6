"""World: articulated systems and single bodies, stepped with hard contact."""

from rbdyn.world.constraints.body_joint import BodyJoint
from rbdyn.world.constraints.constraint import Constraint
from rbdyn.world.constraints.coupling import Coupling
from rbdyn.world.constraints.wire import Wire
from rbdyn.world.objects.articulated_system import ArticulatedSystem
from rbdyn.world.objects.contact import Contact
from rbdyn.world.objects.handles.body_ref import BodyRef
from rbdyn.world.objects.handles.frame_ref import FrameRef
from rbdyn.world.objects.handles.geometry_ref import GeometryRef
from rbdyn.world.objects.handles.joint_ref import JointRef
from rbdyn.world.objects.object import WorldObject
from rbdyn.world.objects.single_body import SingleBody
from rbdyn.world.queries.hits import RayHit, RayHits
from rbdyn.world.scheduler.schedule import Schedule
from rbdyn.world.snapshot.snapshot import Snapshot
from rbdyn.world.world import World

__all__ = [
    "ArticulatedSystem",
    "BodyJoint",
    "BodyRef",
    "Constraint",
    "Contact",
    "Coupling",
    "FrameRef",
    "GeometryRef",
    "JointRef",
    "RayHit",
    "RayHits",
    "Schedule",
    "SingleBody",
    "Snapshot",
    "Wire",
    "World",
    "WorldObject",
]
