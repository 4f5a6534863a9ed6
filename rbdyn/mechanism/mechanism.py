"""Mechanism: a graph of bodies and joints with a spanning tree; no state, no numbers of its own.

Here are the edits.  Each checks first, builds what is new, and only then changes the mechanism: one that raises leaves
no trace.  What they do is in the folder surgery.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import partial
from typing import Literal, overload

from numpy.typing import ArrayLike

from rbdyn.arguments import shown
from rbdyn.errors import MechanismError
from rbdyn.mechanism import text
from rbdyn.mechanism.body import RigidBody
from rbdyn.mechanism.editing import edit, edited
from rbdyn.mechanism.frames import FramedGraph
from rbdyn.mechanism.graph import Edge
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.joints import Floating, JointType
from rbdyn.mechanism.surgery import cutting, filtering, growing, merging, parts, spanning
from rbdyn.mechanism.surgery.before import Before
from rbdyn.mechanism.surgery.maps import Maps, Split
from rbdyn.mechanism.surgery.spanning import NextEdge
from rbdyn.spatial.transform import Transform

__all__ = ["Edge", "Maps", "Mechanism", "Split"]


class Mechanism(FramedGraph):
    """Bodies joined by joints: a tree, plus joints that close loops.

    Parameters
    ----------
    root_body : RigidBody
        The body that does not move: the world.
    gravity : (3,) array_like
        Gravitational acceleration in the root frame [m/s^2].

    Attributes
    ----------
    name : str
        The root body's name at first; of a robot file, the robot's.
    nominal_configuration : tuple of float, or None
        The q of its file, if that says one: where a World begins.  Edits leave it as it is; what is no q any more is
        as good as none.
    description : rbdyn.io.Description, or None
        The text that it was read from, its files and folders.  Edits leave it as it is.
    diagnostics : list of str
        What the reader of a robot file assumed, repaired or left out, each text with file:line.

    Examples
    --------
    >>> from rbdyn import Joint, Mechanism, Revolute, RigidBody, SpatialInertia
    >>> m = Mechanism(RigidBody("world"))
    >>> arm = RigidBody("arm", SpatialInertia(1.0, com=(0, 0, -0.5)))
    >>> maps = m.attach(m.root_body, arm, Joint("shoulder", Revolute(axis=(0, 1, 0))))
    >>> m.num_velocities
    1
    """

    @edit
    def copy(self) -> Mechanism:
        """An independent copy with fresh frames: same names, order, numbers and revision.

        `copy.copy`, `copy.deepcopy` and pickle make the same; `submechanism(root_body)` also tells what became what.
        """
        return copy.deepcopy(self)

    def __copy__(self) -> Mechanism:
        return self.copy()

    # ---- collision filters -------------------------------------------------------------------

    @edit
    def ignore_collision(self, body_a: RigidBody | str, body_b: RigidBody | str) -> None:
        """Keep the shapes of two bodies from colliding with one another.

        The pair follows its bodies through copies and surgery, into Worlds and into files.  `<exclude>` of MJCF and
        `<disable_collisions>` of SRDF are read as such pairs.  A robot that is in a World takes it in at its next step;
        its own `ignore_collision` acts there alone.

        Parameters
        ----------
        body_a, body_b : RigidBody or str
            Two bodies of this mechanism, or their names.  What fixed joints hold to them is not meant.

        Raises
        ------
        MechanismError
            If they are one body, or one of them is foreign.
        UnknownNameError
            If there is no body of a name.

        Examples
        --------
        >>> from rbdyn import models
        >>> m = models.six_axis_arm()
        >>> m.ignore_collision(m.bodies[1], m.bodies[3])
        >>> len(m.ignored_collisions)
        1
        """
        filtering.put_pairs(self, self._ignored | {filtering.pair_of(self, body_a, body_b)})

    @edit
    def allow_collision(self, body_a: RigidBody | str, body_b: RigidBody | str) -> None:
        """Undo `ignore_collision`; a pair that was not ignored stays as it is.

        Parameters
        ----------
        body_a, body_b : RigidBody or str
            As for `ignore_collision`.
        """
        filtering.put_pairs(self, self._ignored - {filtering.pair_of(self, body_a, body_b)})

    # ---- growing -----------------------------------------------------------------------------

    @edit
    def attach(
        self,
        predecessor: RigidBody | str,
        successor: RigidBody | str,
        joint: Joint,
        joint_pose: Transform | None = None,
        successor_pose: Transform | None = None,
    ) -> Maps:
        """Join `successor` to `predecessor`; a successor that is already inside closes a loop.

        Parameters
        ----------
        predecessor : RigidBody or str
            A body of this mechanism, or its name.
        successor : RigidBody or str
            A new body, or one of this mechanism, which may be given by its name.
        joint : Joint
            Not yet attached here.
        joint_pose : Transform, optional
            Pose of the joint's before-frame in the predecessor.
        successor_pose : Transform, optional
            Pose of the successor in the joint's after-frame.

        Returns
        -------
        maps : Maps
            Empty: nothing has become something else.

        Raises
        ------
        MechanismError
            If the predecessor is foreign, the joint is attached already, or a name is taken.  Nothing is changed then.
        """
        before = Before.of(self)
        growing.attach(self, predecessor, successor, joint, joint_pose, successor_pose)
        return Maps()._of(self, before)

    @edit
    def attach_in_series(
        self,
        predecessor: RigidBody | str,
        successor: RigidBody,
        joints: Sequence[Joint],
        joint_pose: Transform | None = None,
        successor_pose: Transform | None = None,
    ) -> Maps:
        """Join a new body by several joints, one after the other: a universal joint, Euler angles, three translations.

        Between them stand bodies without mass, called SUCCESSOR/JOINT.  Each joint acts in the after-frame of the one
        before, and has its own q, v, limits and motor, in this order.

        Parameters
        ----------
        predecessor : RigidBody or str
            A body of this mechanism, or its name.
        successor : RigidBody
            A new body.
        joints : sequence of Joint
            From the predecessor to the successor.  `Revolute` about z, y and x are Euler angles (yaw, pitch, roll).
        joint_pose : Transform, optional
            Pose of the first joint's before-frame in the predecessor.
        successor_pose : Transform, optional
            Pose of the successor in the last joint's after-frame.

        Returns
        -------
        maps : Maps
            Empty: nothing has become something else.

        Raises
        ------
        MechanismError
            If the predecessor is foreign, the successor is inside, a joint is attached already, or a name is taken.
            Nothing is changed then.

        Examples
        --------
        >>> from rbdyn import Joint, Mechanism, Revolute, RigidBody, SpatialInertia
        >>> shaft = Mechanism(RigidBody("frame"))
        >>> rod = RigidBody("rod", SpatialInertia(1.0))
        >>> cross = [Joint("fork", Revolute((1, 0, 0))), Joint("yoke", Revolute((0, 1, 0)))]
        >>> _ = shaft.attach_in_series("frame", rod, cross)
        >>> [body.name for body in shaft.bodies]
        ['frame', 'rod/fork', 'rod']
        """
        before = Before.of(self)
        growing.attach_in_series(self, predecessor, successor, joints, joint_pose, successor_pose)
        return Maps()._of(self, before)

    @edit
    def place_joint(
        self, joint: Joint | str, joint_pose: Transform | None = None, successor_pose: Transform | None = None
    ) -> None:
        """Move a joint on its bodies; what is not given stays.  q, v and the graph stay as they are.

        Parameters
        ----------
        joint : Joint or str
            A joint of this mechanism, of the tree or not.
        joint_pose : Transform, optional
            Pose of its before-frame in the predecessor.
        successor_pose : Transform, optional
            Pose of the successor in its after-frame.

        Raises
        ------
        MechanismError
            If the joint is not in this mechanism, or a pose is no Transform.
        """
        growing.place_joint(self, joint, joint_pose, successor_pose)

    @edit
    def attach_mechanism(
        self, parent_body: RigidBody | str, child: Mechanism, child_root_pose: Transform | None = None, prefix: str = ""
    ) -> Maps:
        """Attach copies of all bodies and joints of `child`, which stays as it is; its gravity is ignored.

        `parent_body` takes the place of the child's root: the root's inertia is added to it, and copies of the root's
        geometry and frames move to it.  The root's own frame lives on there under its prefixed name, numbered
        ("world_2") if that is taken.  Tree joints come in the child's order, after those that are here already; then
        the loop joints.

        Parameters
        ----------
        parent_body : RigidBody or str
            A body of this mechanism, or its name.
        child : Mechanism
            What to copy; attaching it again gives further independent copies.
        child_root_pose : Transform, optional
            Pose of the child's root frame in `parent_body`.
        prefix : str
            Put before every name of the child: bodies, joints, frames and geometry.

        Returns
        -------
        maps : Maps
            Every body, joint and frame of the child -> its copy; the child's root -> `parent_body`.

        Raises
        ------
        MechanismError
            If the parent is foreign or a name is taken.  Nothing is changed then.
        """
        attach = partial(growing.attach_mechanism, self, parent_body, child, child_root_pose, prefix)
        return edited(child, attach) if isinstance(child, Mechanism) else attach()

    @edit
    def submechanism(self, body: RigidBody | str, gravity: str | ArrayLike = "copy") -> tuple[Mechanism, Maps]:
        """A new mechanism of copies: `body` as its root, with its inertia, and all below it.

        A loop joint is kept if both its ends are inside; a joint that mimics one outside no longer does, which a
        MimicWarning says.

        Parameters
        ----------
        body : RigidBody or str
            A body of this mechanism, which stays as it is, or its name.
        gravity : "copy" or (3, 3) array_like
            "copy" takes the three numbers over as they are; a rotation turns them, g_new = R g: the rotation of this
            mechanism's root frame in `body` keeps gravity's direction in space.

        Returns
        -------
        part : Mechanism
        maps : Maps
            The bodies, joints and frames inside -> their copies.

        Raises
        ------
        MechanismError
            If the body is foreign, or `gravity` neither "copy" nor a rotation.
        """
        return parts.submechanism(self, body, gravity, Mechanism)

    @edit
    def maximal_coordinates(self, floating_type: JointType | None = None) -> tuple[Mechanism, Maps]:
        """The same mechanism with six coordinates for every body: copies, each on a floating joint of its own.

        All joints become loop joints, tree joints first, and none is reversed.  A floating joint sits at identity
        on the root and has its body's name, numbered ("arm_2") if a joint has it.  This mechanism stays as it is.

        Parameters
        ----------
        floating_type : Floating or SPQuatFloating, optional
            Type of the floating joints; Floating() by default.

        Returns
        -------
        flat : Mechanism
        maps : Maps
            Every body, joint and frame -> its copy; `maps.carry(state)` is the same motion in the new coordinates.

        Raises
        ------
        MechanismError
            If `floating_type` is another type.
        """
        return parts.maximal_coordinates(self, Floating() if floating_type is None else floating_type, Mechanism)

    # ---- cutting -----------------------------------------------------------------------------

    @edit
    def remove_subtree(self, joint: Joint | str) -> Maps:
        """Remove a tree joint, its subtree, and every joint that starts or ends at one of those bodies.

        What is removed may be attached elsewhere; what stays stays the same objects in the same order.  A joint that
        mimicked a removed one no longer does, which a MimicWarning says.

        Returns
        -------
        maps : Maps
            Empty: nothing has become something else.

        Raises
        ------
        MechanismError
            If the joint is foreign or closes a loop.  Nothing is changed then.
        """
        return cutting.remove_subtree(self, joint)

    @overload
    def remove_joint(
        self, joint: Joint | str, split: Literal[False] = False, next_edge: NextEdge | None = None
    ) -> Maps: ...
    @overload
    def remove_joint(self, joint: Joint | str, split: Literal[True], next_edge: None = None) -> Split[Mechanism]: ...
    def remove_joint(
        self, joint: Joint | str, split: bool = False, next_edge: NextEdge | None = None
    ) -> Maps | Split[Mechanism]:
        """Remove a joint; its subtree stays, held by loop joints, or becomes a mechanism of its own.

        A loop joint is dropped.  Without a tree joint, loop joints join the tree where they are needed, and joints that
        now have to lead from successor to predecessor are reversed (`Joint.flipped`).  A joint that mimics the removed
        one, or with `split` one of the other part, no longer does, which a MimicWarning says.  The bodies of the
        subtree come last in the new order.  Loop joints that joined the tree have a q from now on; a tree joint left
        over closes a loop.

        Parameters
        ----------
        joint : Joint or str
            A joint of this mechanism, or its name.
        split : bool
            True for a joint that is the only connection to its subtree: both parts are returned.
        next_edge : function of (tuple of Joint) to Joint, optional
            Chooses by which joint a further body joins the tree, among those between bodies that are in it and bodies
            that are not.  By default joints are kept as they are where that can be: old tree joints before loop
            joints, those that can stay as they are before those that have to be reversed.

        Returns
        -------
        maps : Maps
            joints: reversed joint -> its replacement.  Everything else stays the same object.
        near, far : Mechanism
            Only for split=True: this mechanism, and a new one of the bodies of the subtree, the same objects;
            the successor is its root, and gravity the same three numbers.  They come as a `Split`, which also carries
            states.

        Raises
        ------
        MechanismError
            If the joint is foreign; is the only connection and `split` is False, or is not and `split` is True; or if
            `next_edge` returns something else than a joint it was given.  Nothing is changed then.
        """
        if not isinstance(split, bool):
            raise MechanismError(f"split must be True or False, got {shown(split)}")
        if split and next_edge is not None:
            raise MechanismError("next_edge is for split=False: with split=True no spanning tree is chosen")
        if split:
            return edited(self, partial(cutting.split, self, joint, Mechanism))
        return edited(self, partial(cutting.remove_joint, self, joint, next_edge))

    @edit
    def replace_joint(self, joint: Joint | str, new_joint: Joint) -> Maps:
        """Put another joint in a joint's place: same bodies and poses, same place in the order, tree or loop.

        Joints that mimicked the old one mimic the new one.  Carried states keep the old q and v if the type is the
        same; otherwise they get those nearest to where the joint's bodies were and how they moved.

        Parameters
        ----------
        joint : Joint or str
            A joint of this mechanism, or its name; it is free afterwards.
        new_joint : Joint
            Not attached anywhere; its name may be that of `joint`.

        Returns
        -------
        maps : Maps
            `joint` and its frames -> `new_joint` and its frames.

        Raises
        ------
        MechanismError
            If `joint` is foreign, or `new_joint` attached already, or its name taken.  Nothing is changed then.
        """
        return cutting.replace_joint(self, joint, new_joint)

    @edit
    def remove_fixed_tree_joints(self) -> Maps:
        """Merge every body that is the child of a fixed tree joint into its parent.

        Inertia, geometry and frames move to the parent; joints that started or ended at the merged body are rewired.
        The merged body's frame lives on in the parent under the body's name; another frame whose name is taken there
        gets its body's before it ("hand/tip").  Of two bodies that ignore each other's collisions, so do the bodies of
        which they become part.  The order of the remaining joints is kept.  A loop joint whose two ends
        have become one body holds nothing any more, and is dropped.

        Returns
        -------
        maps : Maps
            bodies: merged body -> the body it is part of now.  Frames stay the same objects.
        """
        return merging.remove_fixed_tree_joints(self)

    # ---- spanning ----------------------------------------------------------------------------

    @edit
    def rebuild_spanning_tree(self, next_edge: NextEdge | None = None) -> Maps:
        """Choose anew which joints are in the tree; the others close loops.  The root stays.

        Parameters
        ----------
        next_edge : function of (tuple of Joint) to Joint, optional
            Called once for each body to come: given all joints between a body that is in the tree and one that is
            not yet, returns the one that comes next.  They are in the order in which they were met: of each body
            reached, first the joints that start from it, then those that end at it.  By default the first one, which
            makes the tree breadth-first.

        Returns
        -------
        maps : Maps
            joints: a joint that had to be reversed -> its replacement (`Joint.flipped`).  Everything else
            stays the same object.

        Raises
        ------
        MechanismError
            If `next_edge` returns something else than a joint it was given.  Nothing is changed then.
        """
        return spanning.rebuild_spanning_tree(self, next_edge)

    # ---- text --------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return text.text(self)

    def _repr_html_(self) -> str:
        return text.html_text(self)
