"""Model: a Mechanism compiled into numbered C arrays."""

from sys import intern

import numpy as np

from rbdyn.arguments import as_vector, shown
from rbdyn.errors import Error, StaleModelError, StateError, unknown_name
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.model.lookups import added_frame, layout, not_found, without_coordinates
from rbdyn.model.random_configuration import random_configuration

from cpython.pycapsule cimport PyCapsule_GetContext, PyCapsule_New, PyCapsule_SetContext
from cpython.ref cimport Py_DECREF, Py_INCREF

from rbdyn.model._model cimport CLoop, allocate_model, free_model
from rbdyn.model.numbers cimport stored3, stored33, vector_of
from rbdyn.model.part cimport Part, merged_inertia
from rbdyn.model.pose cimport Pose, compose, inverse, matrix_of_pose, pose_of, turn_of
from rbdyn.model.tree cimport Link, Loop, Seat, Tree, compile_tree
from rbdyn.spatial._algebra cimport Vec3, add3, mul3, transpose3, vec3


cdef const char* CAPSULE = "rbdyn.CModel"


cdef void _release_model(object capsule) noexcept:
    Py_DECREF(<object> PyCapsule_GetContext(capsule))


cdef class Placement:
    """Where a frame sits: at a fixed pose in the internal frame of a moving body."""


cdef class Model:
    """A mechanism's tree as immutable, numbered arrays; shared by any number of States.

    Bodies on fixed tree joints are merged into the body that carries them: `body_names` lists the base and the moving
    bodies only, and every other body stays a frame that can be asked for by name.  Body 0 is the base: the floating
    body if the root carries nothing else, otherwise the root itself.  Joint k moves body k; joint 0 is the base joint.

    Parameters
    ----------
    mechanism : Mechanism
        What to compile.  Later edits of it make this Model stale; numbers of its bodies and joints are read once, now.

    Attributes
    ----------
    mechanism : Mechanism
        What was compiled.
    body_names, joint_names : tuple of str
        Names of body k and of the joint that moves it, the base first.
    has_loops : bool
        Whether the mechanism has joints outside its tree.  q and v are those of the tree, and so is what kinematics,
        mass matrix, momentum, energy and bias forces speak of; docs/loops.md says which algorithms close the loops.
    loop_names : tuple of str
        Names of the joints outside the tree, in the order of their rows in `loop_jacobian`.
    q_layout, v_layout : str
        What the numbers of q and v are, in words: "7 of the floating base, then 12 of 12 joints".
    revision : int
        The mechanism's edit counter when it was compiled.  The Model of a robot in a World takes edits in.
    structure : int
        Its counter of structural edits.

    Raises
    ------
    Error
        If `mechanism` is not a Mechanism.
    """

    def __cinit__(self):
        self.ready = False

    def __dealloc__(self):
        free_model(&self.c)

    def __init__(self, mechanism):
        if not isinstance(mechanism, Mechanism):
            raise Error(f"mechanism must be a Mechanism, got {mechanism!r}")
        if self.ready:
            raise Error("a Model cannot be initialised twice; make a new one")
        self.mechanism = mechanism
        self.revision_counter = mechanism._revision
        self.revision, self.structure = self.revision_counter.value, mechanism.structure
        cdef Tree tree = compile_tree(mechanism)
        cdef Part part
        cdef Link link
        self.parts, self.sums = [[(part.body, part) for part in link.parts] for link in tree.links], {}
        allocate_model(&self.c, len(tree.links), tree.nq, tree.nv, len(tree.loops))
        self.c.gravity = stored3(vector_of(mechanism.gravity))
        self._fill(tree.links)
        self._fill_order()
        self._fill_names(tree)
        self._arrays = tree.arrays
        self._fill_loops(tree.loops)
        self.ready = True

    cdef int _fill(self, list links) except -1:
        """The C arrays, body by body."""
        cdef Link link
        cdef int i, j
        cdef int qi = 0, vi = 0
        for i, link in enumerate(links):
            self.c.I_b[i] = merged_inertia(link.parts)
            self.c.qi[i], self.c.vi[i] = qi, vi
            if i == 0:
                continue
            self.c.mass += self.c.I_b[i].m
            self.c.trace += self.c.I_b[i].I_o.xx + self.c.I_b[i].I_o.yy + self.c.I_b[i].I_o.zz
            self.c.parent[i] = link.parent
            self.c.kind[i], self.c.representation[i] = link.kind.kernel, link.kind.representation
            self.c.parameter[i] = link.joint.joint_type.kernel_parameter if link.kind.has_parameter else 0.0
            self.c.nvi[i] = link.kind.nv
            self.c.X_tree[i].E = stored33(transpose3(link.tree_pose.R))
            self.c.X_tree[i].r = stored3(link.tree_pose.p)
            for j in range(self.c.nvi[i]):
                self.c.rotor[vi + j] = link.joint.rotor_inertia
                if j > 0:
                    self.c.parent_dof[vi + j] = vi + j - 1
                else:
                    self.c.parent_dof[vi] = self.c.vi[link.parent] + self.c.nvi[link.parent] - 1 if link.parent else -1
            if link.kind.block_size:
                self.c.blocks[self.c.n_blocks].start = qi + link.kind.block
                self.c.blocks[self.c.n_blocks].size = link.kind.block_size
                self.c.n_blocks += 1
            qi += link.kind.nq
            vi += link.kind.nv
        return 0

    cdef int _fill_order(self) except -1:
        """Bodies by their distance from the root; those at the same one stay in their order."""
        cdef int i, k
        depth = [0] * self.c.nb
        for i in range(1, self.c.nb):
            depth[i] = depth[self.c.parent[i]] + 1
        for k, i in enumerate(sorted(range(self.c.nb), key=depth.__getitem__)):
            self.c.order[k] = i
        return 0

    cdef int _fill_loops(self, list loops) except -1:
        """The joints outside the tree, joint by joint."""
        cdef Loop loop
        cdef CLoop* c
        cdef int k, n
        for k, loop in enumerate(loops):
            c = self.c.loops + k
            n = loop.kind.nv
            c.kind, c.predecessor, c.successor = loop.kind.kernel, loop.predecessor, loop.successor
            c.R_before, c.p_before = stored33(loop.before.R), stored3(loop.before.p)
            c.R_after, c.p_after = stored33(loop.after.R), stored3(loop.after.p)
            c.parameter = loop.joint.joint_type.kernel_parameter
            c.row, c.rows = self.c.nc, 6 - n
            c.rotor_row, c.rotor = self.c.nr, loop.joint.rotor_inertia
            self.c.nc += 6 - n
            self.c.nr += n if c.rotor > 0.0 else 0
        self.loop_names = tuple([loop.joint.name for loop in loops])
        self.has_loops = len(loops) > 0
        return 0

    cdef int _fill_names(self, object compiled) except -1:
        """What users call bodies, joints and frames."""
        cdef Tree tree = compiled
        cdef Placement place
        cdef Link link
        cdef Seat seat
        cdef list links = tree.links
        self.base = 1 if tree.base_joint.joint_type.is_floating else 0
        links = links[self.base:]
        self.bodies = tuple([link.body for link in links])
        self.body_names = tuple([body.name for body in self.bodies])
        self.joint_names = tuple([tree.base_joint.name if link.joint is None else link.joint.name for link in links])
        self.joint_index = {name: k for k, name in enumerate(self.joint_names)}
        self.placements = {}
        for seat in tree.seats:
            place = Placement.__new__(Placement)
            place.body, place.R, place.p, place.turn = seat.body, seat.pose.R, seat.pose.p, turn_of(seat.pose)
            place.shifted = bool(place.p.x or place.p.y or place.p.z)
            for key in seat.keys:
                # names written in a program are interned: then a look-up compares no letters
                self.placements.setdefault(intern(key) if type(key) is str else key, place)
        self.body_placements = [self.placements[body] for body in self.bodies]
        q = v = 0
        if self.base:
            link = links[0]
            q, v = link.kind.nq, link.kind.nv
        self.q_layout = layout(q, self.c.nq, self.c.nb - 1 - self.base)
        self.v_layout = layout(v, self.c.nv, self.c.nb - 1 - self.base)
        return 0

    cdef CModel* use(self) except NULL:
        """The C arrays; raises if this Model is empty or its mechanism has changed since."""
        if not self.ready:
            raise Error("this Model was made without its mechanism; call Model(mechanism)")
        if self.revision_counter.value != self.revision:
            raise StaleModelError(
                f"mechanism {self.mechanism.name!r} was edited: it is at revision {self.revision_counter.value}, this "
                f"Model at {self.revision}; make a new Model, or call update() if it is that of a robot in a World"
            )
        return &self.c

    def check(self):
        """Error if this Model is empty, StaleModelError if its mechanism was edited since."""
        self.use()

    def capsule(self):
        """The C arrays for code that must not know this class; the capsule keeps the Model alive."""
        self.use()
        capsule = PyCapsule_New(&self.c, CAPSULE, _release_model)
        PyCapsule_SetContext(capsule, <void*> self)
        Py_INCREF(self)
        return capsule

    def placement_rows(self, frames=None, point=(0.0, 0.0, 0.0)):
        """Where frames sit, as numbers for kernels that must not know this class.

        Parameters
        ----------
        frames : list or tuple of str, RigidBody or CartesianFrame, optional
            Which; all bodies of `body_names` by default.
        point : (3,) array_like
            In each frame [m], of which the rows tell.

        Returns
        -------
        rows : (n, 15) ndarray of float64
            Internal body, how the rotation can be applied, whether the point is off the body's origin; rotation
            (3, 3) and position (3,) in the internal body frame.
        """
        cdef Placement place
        cdef Vec3 p
        self.use()
        point = as_vector(point, 3, "point", "[m]", error=StateError)
        if frames is None:
            found = self.body_placements
        elif isinstance(frames, (list, tuple)):
            found = [self.find(frame) for frame in frames]
        else:
            raise StateError(f"frames must be a list or tuple of bodies or frames, got {shown(frames)}")
        rows = np.empty((len(found), 15))
        for k, one in enumerate(found):
            place = one
            p = add3(place.p, mul3(place.R, vec3(point[0], point[1], point[2])))
            rows[k, :3] = place.body, place.turn, place.shifted
            rows[k, 3:12] = (place.R.xx, place.R.xy, place.R.xz, place.R.yx, place.R.yy, place.R.yz,
                             place.R.zx, place.R.zy, place.R.zz)
            rows[k, 12:] = p.x, p.y, p.z
        return rows

    cdef Placement find(self, object body):
        """Where a body, or a frame, sits: by name, RigidBody or CartesianFrame."""
        try:
            place = self.placements.get(body)
        except TypeError:                                # unhashable
            place = None
        return self.learnt(body) if place is None else place

    cdef Placement learnt(self, object asked):
        """Where a frame sits that was added to a body since this Model was made."""
        cdef Placement place, host
        cdef Pose pose
        found = added_frame(self.mechanism, asked)
        if found is None or found[0] not in self.placements:
            raise not_found(self.mechanism, asked, (k for k in self.placements if isinstance(k, str)))
        body, frame, local = found
        host = self.placements[body]
        pose.R, pose.p, pose.plain = host.R, host.p, host.turn != ANY_TURN
        pose = compose(pose, pose_of(local))
        place = Placement.__new__(Placement)
        place.body, place.R, place.p, place.turn = host.body, pose.R, pose.p, turn_of(pose)
        place.shifted = bool(place.p.x or place.p.y or place.p.z)
        placements = dict(self.placements)               # a new one: snapshots keep the old
        placements[frame] = place
        if isinstance(asked, str):
            placements[asked] = place
        self.placements = placements
        return place

    @property
    def nq(self):
        """Length of q."""
        return self.c.nq

    @property
    def nv(self):
        """Length of v: the degrees of freedom."""
        return self.c.nv

    @property
    def num_constraints(self):
        """Rows of `loop_jacobian`: six less the degrees of freedom of each loop joint."""
        return self.c.nc

    @property
    def loop_rows(self):
        """Whose are the rows of `loop_jacobian`, `loop_bias`, `loop_error` and multipliers: loop joint's name -> slice.

        Rows are in the joint's before-frame, with z along its axis or normal: blocked rotations x, y, z first, then
        blocked translations x, y, z.
        """
        cdef int k
        return {name: slice(self.c.loops[k].row, self.c.loops[k].row + self.c.loops[k].rows)
                for k, name in enumerate(self.loop_names or ())}

    @property
    def loop_bodies(self):
        """Internal bodies of each loop joint's predecessor and successor, tuple of pairs."""
        return tuple((self.c.loops[k].predecessor, self.c.loops[k].successor) for k in range(self.c.n_loops))

    @property
    def n_bodies(self):
        """Number of bodies: the base and the moving ones."""
        return self.c.nb - self.base

    @property
    def floating_base(self):
        """Whether body 0 floats."""
        return self.base == 1

    @property
    def gravity(self):
        """Gravitational acceleration in the root frame, (3,) [m/s^2]."""
        return np.array([self.c.gravity.x, self.c.gravity.y, self.c.gravity.z])

    @property
    def total_mass(self):
        """Mass of all moving bodies [kg]."""
        return sum(self.c.I_b[i].m for i in range(1, self.c.nb))

    @property
    def frame_names(self):
        """Every name that is accepted where a body is asked for: bodies, merged bodies and frames."""
        return tuple(k for k in self.placements if isinstance(k, str))

    @property
    def parents(self):
        """Parent body of each body, tuple of int; the base is its own parent."""
        return tuple(max(self.c.parent[i] - self.base, 0) for i in range(self.base, self.c.nb))

    def body_of(self, body):
        """Index in `body_names` of the body that holds a body or frame; 0 for frames of the root."""
        return max(self.find(body).body - self.base, 0)

    def placement(self, body):
        """Where a body or frame sits in the frame of `body_of(body)`: homogeneous pose, (4, 4)."""
        cdef Placement here = self.find(body)
        cdef Placement host
        if here.body < self.base:
            return matrix_of_pose(_pose(here))
        host = self.find(self.bodies[here.body - self.base])
        return matrix_of_pose(compose(inverse(_pose(host)), _pose(here)))

    def internal_pose(self, body):
        """Where a body or frame sits in the internal frame of the body that carries it, (4, 4).

        Internal frames are what kernels and collision poses speak of; see model/_model.pxd.
        """
        return matrix_of_pose(_pose(self.find(body)))

    @property
    def internal_parents(self):
        """Parent of each internal body, the root (0) included, tuple of int."""
        return tuple(-1 if i == 0 else self.c.parent[i] for i in range(self.c.nb))

    def joint_q_index(self, name):
        """First index of a joint in q; Error for a joint without coordinates, UnknownNameError for none at all."""
        return self.c.qi[self._joint(name)]

    def joint_v_index(self, name):
        """First index of a joint in v; Error for a joint without coordinates, UnknownNameError for none at all."""
        return self.c.vi[self._joint(name)]

    @property
    def q_starts(self):
        """Where the numbers of each of `joint_names` begin in q, (n_bodies,) of int; a fixed base has none, from 0."""
        return np.array([self.c.qi[i] for i in range(self.base, self.c.nb)], dtype=np.intp)

    @property
    def v_starts(self):
        """Where the numbers of each of `joint_names` begin in v, (n_bodies,) of int; a fixed base has none, from 0."""
        return np.array([self.c.vi[i] for i in range(self.base, self.c.nb)], dtype=np.intp)

    def _joint(self, name):
        """Internal index of a moving joint."""
        key = getattr(name, "name", name)
        index = self.joint_index.get(key, -1) if isinstance(key, str) else -1
        if index + self.base < 1:
            raise without_coordinates(self.mechanism, key)
        return index + self.base

    def joint_of(self, k):
        """Name of the joint that degree of freedom k belongs to."""
        if isinstance(k, (int, np.integer)) and not isinstance(k, bool):
            for i in range(1, self.c.nb):
                if self.c.vi[i] <= k < self.c.vi[i] + self.c.nvi[i]:
                    return self.joint_names[i - self.base]
        raise Error(f"k must be a degree of freedom, 0 to {self.nv - 1}, got {k!r}")

    def array(self, name):
        """A per-joint parameter as a read-only array.

        Parameters
        ----------
        name : str
            "rotor_inertia", "damping", "friction", "stiffness", "effort_limit", "velocity_limit" (nv,);
            "lower", "upper", "spring_reference" (nq,).  Missing limits are infinite.
        """
        try:
            return self._arrays[name]
        except (KeyError, TypeError):
            raise unknown_name("parameter", name, self._arrays or ()) from None

    def neutral(self):
        """The configuration at which all joint frames coincide, (nq,)."""
        cdef int i
        self.use()
        q = np.zeros(self.c.nq)
        for i in range(self.c.n_blocks):                 # a quaternion, or sine and cosine; others are at rest at 0
            if self.c.blocks[i].size != 3:
                q[self.c.blocks[i].start + (0 if self.c.blocks[i].size == 4 else 1)] = 1.0
        return q

    def random(self, rng=None):
        """A random configuration, (nq,): angles in (-pi, pi), distances in (-1, 1) [m], uniform rotations.

        A joint of one coordinate stays within its position limits: uniform between two of them; with one, the interval
        above is moved as little as brings it inside.

        Parameters
        ----------
        rng : numpy.random.Generator or int, optional
            Generator, or seed of a fresh one.
        """
        self.use()
        try:
            rng = np.random.default_rng(rng)
        except (TypeError, ValueError):
            raise Error(f"rng must be a numpy Generator, or a seed: a whole number, 0 or more; got {rng!r}") from None
        return np.concatenate([np.zeros(0), *(random_configuration(joint, rng) for joint in self._moving())])

    def _moving(self):
        """The joints that move, in the order of q."""
        return [j for j in self.mechanism.tree_joints if not j.joint_type.is_fixed]

    def __reduce__(self):
        return Model, (self.mechanism,)

    def __repr__(self):
        if not self.ready:
            return "Model(empty)"
        loops = f", {len(self.loop_names)} loop joints" if self.loop_names else ""
        return f"Model({self.mechanism.name!r}, {self.n_bodies} bodies, q {self.q_layout}, v {self.v_layout}{loops})"


cdef Pose _pose(Placement place) noexcept:
    cdef Pose pose
    pose.R, pose.p, pose.plain = place.R, place.p, place.turn != ANY_TURN
    return pose
