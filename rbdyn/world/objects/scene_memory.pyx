"""The memory of a scene: arrays that grow and close their gaps."""

from libc.stdlib cimport free
from libc.string cimport memmove, memset

from rbdyn.collision._types cimport RESTLESS, Pose
from rbdyn.memory cimport close_arena, grow, open_arena
from rbdyn.model._model cimport allocate_data, free_data
from rbdyn.spatial._algebra cimport Motion
from rbdyn.stepping.links cimport N_LINK_KINDS, Link
from rbdyn.stepping.scene cimport (
    BodyHandle, Rest, SingleControl, SingleParameters, SingleScratch, SingleState, System, lay_out_control,
    lay_out_scratch,
)
from rbdyn.stepping.sleeping cimport forget_rest, reserve_rest, slumber_free


cdef void give_back(System* s) noexcept:
    """The memory of a system."""
    close_arena(&s.control_memory)
    close_arena(&s.work_memory)
    free_data(&s.ahead)


cdef int build_system(System* r, const CModel* m, CData* d) except -1:
    """A system that is in no scene yet, its arrays zeroed."""
    memset(r, 0, sizeof(System))
    r.m, r.d, r.handle = m, d, -1
    lay_out_control(&r.control, &r.control_memory, m)
    lay_out_scratch(&r.work, &r.work_memory, m)
    open_arena(&r.control_memory)
    try:
        open_arena(&r.work_memory)
        allocate_data(&r.ahead, m)
    except MemoryError:
        give_back(r)
        raise
    lay_out_control(&r.control, &r.control_memory, m)
    lay_out_scratch(&r.work, &r.work_memory, m)
    return 0


cdef class SceneMemory:
    """Owns the arrays of a World's Scene.  Objects keep it, and their index in it, for as long as they are there."""

    def __cinit__(self):
        memset(&self.scene, 0, sizeof(self.scene))
        self.free_handles = []

    def __dealloc__(self):
        cdef Scene* s = &self.scene
        cdef int k
        for k in range(s.n_system):
            give_back(s.system + k)
        free(s.single)
        free(s.single_state)
        free(s.single_control)
        free(s.single_scratch)
        free(s.rest)
        free(s.mover)
        free(s.calm)
        slumber_free(&self.slumber)
        free(s.system)
        free(s.body)
        free(s.pose)
        free(s.motion)
        free(s.material)
        for k in range(N_LINK_KINDS):
            free(s.link[k].item)

    cdef int add_single(self) except -1:
        """Index of a new single body, zeroed."""
        cdef Scene* s = &self.scene
        cdef int k = s.n_single
        self.make_room_for_singles(k + 1)
        memset(s.single + k, 0, sizeof(SingleParameters))
        memset(s.single_state + k, 0, sizeof(SingleState))
        memset(s.single_control + k, 0, sizeof(SingleControl))
        memset(s.single_scratch + k, 0, sizeof(SingleScratch))
        memset(s.rest + k, 0, sizeof(Rest))
        s.single[k].handle = -1
        s.n_single = k + 1
        s.renewals += 1
        return k

    cdef int make_room_for_singles(self, int n) except -1:
        """Room for n of them."""
        cdef Scene* s = &self.scene
        grow(<void**> &s.single, &s.room_single[0], n, sizeof(SingleParameters))
        grow(<void**> &s.single_state, &s.room_single[1], n, sizeof(SingleState))
        grow(<void**> &s.single_control, &s.room_single[2], n, sizeof(SingleControl))
        grow(<void**> &s.single_scratch, &s.room_single[3], n, sizeof(SingleScratch))
        grow(<void**> &s.rest, &s.room_single[4], n, sizeof(Rest))
        grow(<void**> &s.mover, &s.room_single[5], n, sizeof(int))
        return 0

    cdef int remove_single(self, int k) except -1:
        """Take it out; those behind it move up by one."""
        cdef Scene* s = &self.scene
        cdef int behind = s.n_single - k - 1, i
        if s.single[k].handle >= 0:
            self.free_handles.append((1, s.single[k].handle))
        memmove(s.single + k, s.single + k + 1, behind * sizeof(SingleParameters))
        memmove(s.single_state + k, s.single_state + k + 1, behind * sizeof(SingleState))
        memmove(s.single_control + k, s.single_control + k + 1, behind * sizeof(SingleControl))
        memmove(s.single_scratch + k, s.single_scratch + k + 1, behind * sizeof(SingleScratch))
        s.n_asleep -= s.rest[k].island > 0
        memmove(s.rest + k, s.rest + k + 1, behind * sizeof(Rest))
        s.n_single -= 1
        s.n_movers = 0
        s.renewals += 1
        for i in range(k, s.n_single):
            s.body[s.single[i].handle].index = i
        return 0

    cdef int add_system(self, const CModel* m, CData* d) except -1:
        """Index of a new system, its arrays zeroed."""
        cdef System made
        build_system(&made, m, d)
        try:
            return self.append_system(&made)
        except MemoryError:
            give_back(&made)
            raise

    cdef int append_system(self, System* other) except -1:
        """Index of a system that was built aside; `other` is empty then."""
        cdef Scene* s = &self.scene
        grow(<void**> &s.system, &s.room_system, s.n_system + 1, sizeof(System))
        s.system[s.n_system] = other[0]
        memset(other, 0, sizeof(System))
        s.n_system += 1
        return s.n_system - 1

    cdef int withdraw_system(self, System* other) except -1:
        """The last system, back to where it was built."""
        self.scene.n_system -= 1
        other[0] = self.scene.system[self.scene.n_system]
        return 0

    cdef int swap_system(self, int k, System* other) except -1:
        """Another system in the place of one, which goes to where that was."""
        cdef System was = self.scene.system[k]
        self.scene.system[k] = other[0]
        other[0] = was
        return 0

    cdef int remove_system(self, int k) except -1:
        """Take it out; those behind it move up by one."""
        cdef Scene* s = &self.scene
        cdef int i, j
        if s.system[k].handle >= 0:
            self.free_handles.append((s.system[k].m.nb, s.system[k].handle))
            forget_rest(s, &self.slumber, s.system[k].handle, s.system[k].m.nb)
        give_back(s.system + k)
        memmove(s.system + k, s.system + k + 1, (s.n_system - k - 1) * sizeof(System))
        s.n_system -= 1
        for i in range(k, s.n_system):
            for j in range(s.system[i].m.nb):
                s.body[s.system[i].handle + j].index = i
        return 0

    cdef int choose_systems(self, const int* wanted, int n) except -1:
        """Keep the systems of these n indices, in this order, and no others; handles stay as they are."""
        cdef Scene* s = &self.scene
        cdef System* old = s.system
        cdef System* chosen = NULL
        cdef size_t room = 0
        cdef int k
        grow(<void**> &chosen, &room, n, sizeof(System))
        for k in range(n):
            chosen[k] = old[wanted[k]]
            memset(old + wanted[k], 0, sizeof(System))
        for k in range(s.n_system):
            give_back(old + k)                       # of those that were chosen nothing is left
        free(old)
        s.system, s.room_system, s.n_system = chosen, room, n
        return 0

    cdef int take_handles(self, int count) except -1:
        """The first of a run of body handles: a freed run of that length, or a fresh one."""
        cdef Scene* s = &self.scene
        cdef int start = s.n_bodies
        for i, (length, first) in enumerate(self.free_handles):
            if length == count:
                del self.free_handles[i]
                return first
        self.make_room_for_bodies(start + count)
        s.n_bodies = start + count
        return start

    cdef int make_room_for_bodies(self, int n) except -1:
        """Room for n body handles; those that are not in use yet stand at the origin."""
        cdef Scene* s = &self.scene
        cdef int start = s.n_bodies, k
        if n <= start:
            return 0
        grow(<void**> &s.pose, &s.room_body[0], n, sizeof(Pose))
        grow(<void**> &s.body, &s.room_body[1], n, sizeof(BodyHandle))
        grow(<void**> &s.motion, &s.room_body[2], n, sizeof(Motion))
        grow(<void**> &s.calm, &s.room_body[3], n, sizeof(char))
        reserve_rest(&self.slumber, start, n)
        memset(s.calm + start, RESTLESS, n - start)
        memset(s.motion + start, 0, (n - start) * sizeof(Motion))
        memset(s.pose + start, 0, (n - start) * sizeof(Pose))
        memset(s.body + start, 0, (n - start) * sizeof(BodyHandle))
        for k in range(start, n):
            s.pose[k].R.xx = s.pose[k].R.yy = s.pose[k].R.zz = 1.0
        return 0

    cdef int add_link(self, int kind, Link* link) except -1:
        """Take in a constraint, whose memory is its owner's; numbers ascend."""
        cdef Scene* s = &self.scene
        grow(<void**> &s.link[kind].item, &s.link[kind].room, s.link[kind].n + 1, sizeof(void*))
        s.link[kind].item[s.link[kind].n] = link
        s.link[kind].n += 1
        return 0

    cdef int remove_link(self, int kind, const Link* link) except -1:
        """Take it out, if it is there."""
        cdef Scene* s = &self.scene
        cdef int k, kept = 0
        for k in range(s.link[kind].n):
            if s.link[kind].item[k] != link:
                s.link[kind].item[kept] = s.link[kind].item[k]
                kept += 1
        s.link[kind].n = kept
        return 0

    cdef int make_room_for_shape(self, int shape_id) except -1:
        """Room for its material; ids that are no shape have none."""
        cdef Scene* s = &self.scene
        cdef int k
        grow(<void**> &s.material, &s.room_shape_ids, <size_t> shape_id + 1, sizeof(int))
        for k in range(s.n_shape_ids, shape_id + 1):
            s.material[k] = -1
        s.n_shape_ids = max(s.n_shape_ids, shape_id + 1)
        return 0
