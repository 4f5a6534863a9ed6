"""Tape: the observer of a World that writes frames, without Python or allocations in the step."""

import os

import numpy as np

from rbdyn.errors import RecordingError
from rbdyn.world import SingleBody
from rbdyn.world.messages import LOG

cimport numpy as cnp
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.pythread cimport PyThread_get_thread_ident
from libc.errno cimport ENOMEM, errno
from libc.stdlib cimport free
from libc.string cimport memcpy

from rbdyn.arguments.arrays cimport data
from rbdyn.collision._types cimport ContactPoint, Pose
from rbdyn.kernels.kinematics cimport poses, velocities
from rbdyn.kernels.loops cimport rotor_energy
from rbdyn.memory cimport has_grown
from rbdyn.model._model cimport CData, CModel
from rbdyn.model.model cimport Model
from rbdyn.recording.quaternions cimport quat_of
from rbdyn.recording.records cimport RecordHead, seal
from rbdyn.recording.scribe cimport scribe_end, scribe_give, scribe_make, scribe_wait
from rbdyn.spatial._algebra cimport (
    Mat3, Vec3, add3, dot3, matmul3, mul3, mul_i, power, rows3, scale3, smul3, tmul3, vec3, zero3,
)
from rbdyn.spatial.constants cimport load_inertia, load_vec3
from rbdyn.stepping.assemble cimport CONTACTS
from rbdyn.stepping.constraints.contact.contacts cimport cone_impulse
from rbdyn.stepping.scene cimport Scene, SingleParameters, SingleState
from rbdyn.stepping.sleeping cimport is_asleep
from rbdyn.world.objects.lock cimport EditLock
from rbdyn.world.objects.object cimport WorldObject
from rbdyn.world.snapshot.taking cimport insides_of
from rbdyn.world.world cimport World

cdef extern from *:
    """
    /* a flag that one thread sets and another sees, with all that was written before */
    #if defined(__GNUC__) || defined(__clang__)
    static int rbdyn_load(const int *flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
    static void rbdyn_store(int *flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELEASE); }
    #else
    static int rbdyn_load(const int *flag) { return *(const volatile int *)flag; }
    static void rbdyn_store(int *flag, int value) { *(volatile int *)flag = value; }
    #endif
    """
    int rbdyn_load(const int* flag) nogil
    void rbdyn_store(int* flag, int value) nogil

cdef enum:
    BUFFER = 1 << 16              # [bytes] that wait before they are written


# ---- a frame ------------------------------------------------------------------------------------------------------

cdef double* put_pose(const Reel* t, const Place* place, double* out) noexcept nogil:
    """Position and quaternion of a carrier."""
    cdef const Scene* s = t.scene
    cdef const SingleState* b
    cdef const CData* d
    cdef Mat3 R
    cdef Vec3 p
    if place.single:
        b = s.single_state + place.index
        out[0], out[1], out[2] = b.p.x, b.p.y, b.p.z
        memcpy(out + 3, b.q, 4 * sizeof(double))
        return out + 7
    d = s.system[place.index].d
    R, p = d.R[place.inner], d.p[place.inner]
    if place.at_rest:
        p = add3(p, mul3(R, place.rest.p))
        R = matmul3(R, place.rest.R)
    out[0], out[1], out[2] = p.x, p.y, p.z
    quat_of(&R, out + 3)
    return out + 7


cdef double* put_single(const Scene* s, int k, double* out) noexcept nogil:
    """Velocities and energies of a single body."""
    cdef const SingleState* b = s.single_state + k
    cdef const SingleParameters* m = s.single + k
    cdef Vec3 w = tmul3(b.R, b.w)
    out[0], out[1], out[2] = b.v.x, b.v.y, b.v.z
    out[3], out[4], out[5] = b.w.x, b.w.y, b.w.z
    out[6] = 0.5 * m.mass * dot3(b.v, b.v) + 0.5 * dot3(w, smul3(m.I_b, w))
    out[7] = -m.mass * dot3(s.gravity, b.p)
    return out + 8


cdef double* put_system(const Scene* s, int k, double* out) noexcept nogil:
    """Energies, centre of mass, q and v of a robot, whose poses and velocities are computed."""
    cdef const CModel* m = s.system[k].m
    cdef CData* d = s.system[k].d
    cdef Vec3 moment = zero3()
    cdef double twice = 0.0, mass = 0.0
    cdef int i
    for i in range(1, m.nb):
        mass += m.I_b[i].m
        twice += power(d.vel[i], mul_i(load_inertia(m.I_b + i), d.vel[i]))
        moment = add3(moment, add3(scale3(m.I_b[i].m, d.p[i]), mul3(d.R[i], load_vec3(m.I_b[i].h))))
    for i in range(m.nv):
        twice += m.rotor[i] * d.v[i] * d.v[i]
    if m.nr:
        twice += rotor_energy(m, d)
    out[0], out[1] = 0.5 * twice, -dot3(s.gravity, moment)
    out[2], out[3], out[4] = moment.x / mass, moment.y / mass, moment.z / mass
    memcpy(out + 5, d.q, m.nq * sizeof(double))
    memcpy(out + 5 + m.nq, d.v, m.nv * sizeof(double))
    return out + 5 + m.nq + m.nv


cdef double* put_contact(const ContactPoint* c, Vec3 impulse, double dt, double* out) noexcept nogil:
    """A contact, its force from the impulse."""
    (<int*> out)[0], (<int*> out)[1] = c.shape_a, c.shape_b
    out[1], out[2], out[3] = c.position.x, c.position.y, c.position.z
    out[4], out[5], out[6] = c.normal.x, c.normal.y, c.normal.z
    out[7] = c.depth
    out[8], out[9], out[10] = impulse.x / dt, impulse.y / dt, impulse.z / dt
    return out + CONTACT_WORDS


cdef size_t most_contacts(const Reel* t) noexcept nogil:
    """More than a frame will have."""
    return t.found.n + t.slumber.n if t.contacts else 0


cdef double* put_contacts(const Reel* t, double* out) noexcept nogil:
    """How many contacts, and each: those of World.contacts, in its order."""
    cdef const Scene* s = t.scene
    cdef const Slumber* z = t.slumber
    cdef const ContactPoint* c
    cdef Vec3 impulse
    cdef double* start = out
    cdef int64_t n = 0
    cdef int i
    out += 1
    for i in range(t.found.n):
        c = t.found.point + i
        if c.shape_a < 0 or is_asleep(s, c.body_a) or is_asleep(s, c.body_b):
            continue
        impulse = zero3()
        if t.solved[0]:
            impulse = cone_impulse(&t.assembly.builder.problem, t.assembly.share[CONTACTS].cone + i)
        out = put_contact(c, impulse, s.dt, out)
        n += 1
    for i in range(z.n):
        if (z.island[i] > 0 or i < z.found) and z.point[i].shape_a >= 0:
            out = put_contact(z.point + i, z.impulse[i], s.dt, out)
            n += 1
    (<int64_t*> start)[0] = n
    return out


cdef void write_frame(Reel* t, double time) noexcept nogil:
    """Append a frame to the buffer, which has room for it."""
    cdef RecordHead* head = <RecordHead*> (t.buffer + t.used)
    cdef double* out = <double*> (head + 1)
    cdef int k
    (<int64_t*> out)[0], out[1] = t.steps[0], time
    out += 2
    for k in range(t.scene.n_system):
        poses(t.scene.system[k].m, t.scene.system[k].d)
        velocities(t.scene.system[k].m, t.scene.system[k].d)
    for k in range(t.n_places):
        out = put_pose(t, t.place + k, out)
    for k in range(t.n_sources):
        if t.source[k].single:
            out = put_single(t.scene, t.source[k].index, out)
        else:
            out = put_system(t.scene, t.source[k].index, out)
    if t.contacts:
        out = put_contacts(t, out)
    seal(head, "fram", 0, <char*> out - <char*> (head + 1))
    t.used = <char*> out - t.buffer
    t.frames += 1
    t.taken = t.steps[0]


cdef bint is_as_described(const Reel* t) noexcept nogil:
    """Whether places and sources are those of who is there."""
    cdef int k
    if t.revision[0] != t.seen_revision or t.shapes[0] != t.seen_shapes:
        return False
    for k in range(t.n_sources):
        if not t.source[k].single and t.scene.system[t.source[k].index].m is not t.source[k].model:
            return False
    return True


# ---- into the file ----------------------------------------------------------------------------------------------

cdef bint hand_over(Reel* t) noexcept nogil:
    """Have what waits written; False if the file did not take what came before."""
    cdef size_t used = t.used
    t.used = 0
    if used:
        t.trouble = scribe_give(t.scribe, &t.buffer, &t.room, used)
    return t.trouble == 0


cdef bint flush(Reel* t) noexcept nogil:
    """Write what waits; False if the file does not take it."""
    if hand_over(t):
        t.trouble = scribe_wait(t.scribe)
    return t.trouble == 0


cdef bint make_room(Reel* t, size_t size) noexcept nogil:
    """Room for a record of so many bytes, with its head; False if there is none.  The buffer grows for long ones."""
    if t.used + size > BUFFER and not hand_over(t):
        return False
    if t.used + size <= t.room or has_grown(<void**> &t.buffer, &t.room, t.used + size, 1):
        return True
    t.trouble = ENOMEM
    return False


cdef void take_frame(Reel* t, double time) noexcept nogil:
    """A frame of now, if the file takes it; a file that does not ends the recording."""
    cdef size_t size = sizeof(RecordHead) + t.fixed + 8 * CONTACT_WORDS * most_contacts(t)
    if make_room(t, size):
        write_frame(t, time)
        t.fresh = True
    else:
        give_up(t)


cdef void give_up(Reel* t) noexcept nogil:
    """Nothing more goes to the file, which is closed once it has what was handed over."""
    t.used = 0
    scribe_end(t.scribe)
    t.scribe = NULL


cdef void after_step(void* context, const Scene* scene, double time) noexcept nogil:
    """Called by the World."""
    cdef Reel* t = <Reel*> context
    t.fresh = False
    if t.scribe is NULL:
        return
    t.left -= 1
    if t.left > 0:
        return
    t.left = t.every
    if not is_as_described(t):
        with gil:
            (<Tape> t.owner).look_again()
    if rbdyn_load(&t.noted):
        with gil:
            (<Tape> t.owner).look_note()
    if t.scribe is not NULL:
        take_frame(t, time)
    if t.scribe is NULL:
        with gil:
            (<Tape> t.owner).end()


cdef class Tape(Observer):
    """Writes frames of a World to a file, from its latest step on; `describe` says of whom.

    Parameters
    ----------
    world : World
        What is recorded.
    every : int
        Steps from frame to frame.
    contacts : bool
        Whether frames have contacts.
    renew : callable
        Called without arguments, within a step, once somebody has come, gone or changed: it calls `describe`.
    """

    def __init__(self, world, long every, bint contacts, renew):
        cdef Reel* t = &self.reel
        cdef Insides inside = insides_of(world)
        if self.inside is not None:
            raise RecordingError("a Tape cannot be initialised twice")
        self.inside, self.renew = inside, renew
        self.call.after_commit, self.call.context = after_step, t
        t.owner = <void*> self
        t.scene = &inside.registry.memory.scene
        t.slumber = &inside.registry.memory.slumber
        t.found, t.assembly = &inside.pipeline.found, &inside.pipeline.assembly
        t.steps, t.solved = inside.clock.steps, &inside.pipeline.solved
        t.revision, t.shapes = &inside.registry.revision, &inside.pipeline.collision.table.revision
        t.contacts, t.every, t.left = contacts, every, every

    def __dealloc__(self):
        if self.reel.scribe is not NULL:
            hand_over(&self.reel)
            give_up(&self.reel)
        free(self.reel.buffer)
        free(self.reel.place)
        free(self.reel.source)

    cdef int check_open(self) except -1:
        if self.reel.scribe is NULL:
            raise RecordingError(self.error or "this recording was stopped")
        return 0

    def open_file(self, fd):
        """Write to a file descriptor from here on; it is closed at the end."""
        cdef int handle = fd
        cdef Reel* t = &self.reel
        if t.scribe is not NULL:
            raise RecordingError("this Tape has a file")
        if not has_grown(<void**> &t.buffer, &t.room, 2 * BUFFER, 1):
            raise MemoryError("no memory for a recording's buffer")
        t.scribe = scribe_make(handle)
        if t.scribe is NULL:
            raise OSError(errno, os.strerror(errno))
        if not has_grown(<void**> &t.scribe.spare, &t.scribe.room, 2 * BUFFER, 1):
            give_up(t)
            raise MemoryError("no memory for a recording's buffers")

    def describe(self, carriers, objects):
        """Of whom frames are.

        Parameters
        ----------
        carriers : sequence of (object, int, (4, 4) ndarray)
            The object of each carrier, which of its internal bodies it is on, and where on that.
        objects : sequence of objects of the World
        """
        cdef Reel* t = &self.reel
        cdef WorldObject obj
        cdef const CModel* m
        cdef int k
        make(<void**> &t.place, &self.rooms[0], len(carriers), sizeof(Place))
        make(<void**> &t.source, &self.rooms[1], len(objects), sizeof(Source))
        t.n_places, t.n_sources = len(carriers), len(objects)
        words = 2 + 7 * t.n_places + bool(t.contacts)
        for k, (thing, inner, rest) in enumerate(carriers):
            obj = thing
            t.place[k].single, t.place[k].index = isinstance(thing, SingleBody), obj.index
            t.place[k].inner = inner
            t.place[k].at_rest = bool((rest != np.eye(4)).any())
            t.place[k].rest = pose_of(rest)
        for k, thing in enumerate(objects):
            obj = thing
            t.source[k].single, t.source[k].index, t.source[k].model = isinstance(thing, SingleBody), obj.index, NULL
            words += 8
            if not t.source[k].single:
                m = t.scene.system[obj.index].m
                t.source[k].model = m
                words += m.nq + m.nv - 3
        t.fixed = 8 * words
        t.seen_revision, t.seen_shapes = t.revision[0], t.shapes[0]

    def append(self, bytes record not None):
        """A whole record that is no frame, behind what was written so far."""
        self.check_open()
        cdef Reel* t = &self.reel
        if make_room(t, len(record)):
            memcpy(t.buffer + t.used, PyBytes_AS_STRING(record), len(record))
            t.used += len(record)
            return
        give_up(t)
        self.end()
        raise RecordingError(self.error)

    def take(self, double time):
        """A frame of now, between steps."""
        self.check_open()
        if not is_as_described(&self.reel):
            self.look_again()
        self.look_note()
        if self.reel.scribe is not NULL:
            take_frame(&self.reel, time)
        if self.reel.scribe is NULL:
            self.end()
            raise RecordingError(self.error)

    def flush(self):
        """Write what waits in memory."""
        if self.reel.scribe is not NULL and not flush(&self.reel):
            give_up(&self.reel)
            self.end()

    def close(self):
        """Write what waits, and close the file; what goes wrong then is in `error`."""
        self.flush()
        if self.reel.scribe is not NULL:
            give_up(&self.reel)

    def forget(self):
        """Write nothing any more: the file is another process's."""
        if self.reel.scribe is not NULL:
            give_up(&self.reel)
            self.error = "this process was forked from the one that records"

    cdef int look_again(self) except -1:
        """Somebody came, went or changed: have it described; an error ends the recording."""
        cdef EditLock lock = self.inside.registry.lock
        observing, lock.observing = lock.observing, PyThread_get_thread_ident()
        try:
            self.renew()
        except Exception as error:
            self.error = f"the recording ended, as what there is now cannot be described: {error}"
            if self.reel.scribe is not NULL:
                hand_over(&self.reel)
                give_up(&self.reel)
        finally:
            lock.observing = observing
        return 0

    def ask_note(self):
        """Have `note` called before the next frame; any thread may ask."""
        rbdyn_store(&self.reel.noted, 1)

    cdef int look_note(self) except -1:
        """Have what is noted written; an error ends the recording."""
        if not rbdyn_load(&self.reel.noted):
            return 0
        rbdyn_store(&self.reel.noted, 0)
        try:
            self.note()
        except Exception as error:
            self.error = f"the recording ended, as what was drawn cannot be written: {error}"
            if self.reel.scribe is not NULL:
                hand_over(&self.reel)
                give_up(&self.reel)
        return 0

    cdef int end(self) except -1:
        """The recording ended by itself: say so once."""
        if self.error is None:
            self.error = f"the recording's file takes no more: {os.strerror(self.reel.trouble)}"
        LOG.error("%s", self.error)
        return 0

    @property
    def fresh(self):
        """Whether the latest step has a frame."""
        return bool(self.reel.fresh)

    @property
    def frames(self):
        """How many were written."""
        return self.reel.frames

    @property
    def is_behind(self):
        """Whether the World has done steps since the latest frame, or gone back."""
        return self.reel.taken != self.reel.steps[0]

    @property
    def is_open(self):
        """Whether frames are written."""
        return self.reel.scribe is not NULL


cdef void after_step_tapped(void* context, const Scene* scene, double time) noexcept nogil:
    """Called by the World: the frame that somebody waits for, if he does."""
    cdef Reel* t = <Reel*> context
    if not rbdyn_load(&(<Tap> t.owner).wanted):
        return
    if not is_as_described(t):
        with gil:
            (<Tape> t.owner).look_again()
    if draw_frame(t, time):
        rbdyn_store(&(<Tap> t.owner).wanted, 0)


cdef bint draw_frame(Reel* t, double time) noexcept nogil:
    """A frame of now, the only one in the buffer; False without memory."""
    t.used = 0
    if not has_room(t, sizeof(RecordHead) + t.fixed + 8 * CONTACT_WORDS * most_contacts(t)):
        return False
    write_frame(t, time)
    return True


cdef bint has_room(Reel* t, size_t size) noexcept nogil:
    return size <= t.room or has_grown(<void**> &t.buffer, &t.room, size, 1)


cdef class Tap(Tape):
    """Hands frames of a World to whoever asks for one; the World's steps never wait for him.

    Parameters
    ----------
    world, every, contacts, renew
        As for a Tape; every step may be asked for.
    """

    def __init__(self, world, long every, bint contacts, renew):
        Tape.__init__(self, world, every, contacts, renew)
        self.call.after_commit = after_step_tapped

    def ask(self):
        """Have the next step give its frame."""
        rbdyn_store(&self.wanted, 1)

    def latest(self):
        """The frame that was asked for, bytes; None if no step was done since."""
        cdef Reel* t = &self.reel
        if rbdyn_load(&self.wanted) or t.used == 0:
            return None
        return PyBytes_FromStringAndSize(t.buffer + sizeof(RecordHead), t.used - sizeof(RecordHead))

    def now(self, double time):
        """A frame of the World as it is between two steps, bytes; BusyError while it steps."""
        cdef Reel* t = &self.reel
        self.inside.registry.lock.check_idle()
        if not is_as_described(t):
            self.renew()
            self.inside.registry.lock.check_idle()
        if not is_as_described(t) or not draw_frame(t, time):
            return None
        return PyBytes_FromStringAndSize(t.buffer + sizeof(RecordHead), t.used - sizeof(RecordHead))


cdef int make(void** array, size_t* room, size_t count, size_t size) except -1:
    """Room for so many items, and one at least."""
    count += 1
    if count > room[0] and not has_grown(array, room, count, size):
        raise MemoryError(f"no memory for {count} items of a recording")
    return 0


cdef Pose pose_of(cnp.ndarray rest):
    cdef const double* X = data(rest)
    cdef Pose pose
    pose.R = rows3(vec3(X[0], X[1], X[2]), vec3(X[4], X[5], X[6]), vec3(X[8], X[9], X[10]))
    pose.p = vec3(X[3], X[7], X[11])
    return pose


def unit_blocks(Model model not None):
    """Blocks of q that are a quaternion (4 numbers), a pair [sine, cosine] (2) or its stereographic projection (3)."""
    cdef int k
    return [(model.c.blocks[k].start, model.c.blocks[k].size) for k in range(model.c.n_blocks)]


def shape_owners(World world not None):
    """Shape id -> (object, body, geometry, link), by name."""
    world.check()
    return {number: (entry[0].name, *entry[1:]) for number, entry in world.registry.shapes.items()}
