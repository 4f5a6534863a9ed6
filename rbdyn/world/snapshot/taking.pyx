"""Taking snapshots and going back to them: methods of World."""

import numpy as np

from rbdyn.arguments import shown
from rbdyn.errors import BusyError, Error, SnapshotError
from rbdyn.world.messages import LOG
from rbdyn.world.snapshot import differences, rest

from rbdyn.world.edits.renewal cimport catch_up
from rbdyn.world.objects.articulated_system cimport ArticulatedSystem
from rbdyn.world.registry.registry cimport Registry
from rbdyn.world.snapshot.insides cimport Insides
from rbdyn.world.snapshot.members cimport Members, members_of
from rbdyn.world.snapshot.snapshot cimport Snapshot
from rbdyn.world.snapshot.undoing cimport Undo, check_size, is_own, note_now, noted, put


cdef Insides insides_of(object world):
    """Where everything of a World is; an error for one that was made without __init__."""
    cdef Insides inside = world._insides
    if inside is None:
        world._check_idle()
    return inside


cdef Snapshot taken(Insides inside):
    """A snapshot of now."""
    begin_look(inside)
    try:
        return taken_now(inside)
    finally:
        inside.registry.lock.end_query()


cdef int begin_look(Insides inside) except -1:
    """Take in all that was edited; from here on the World may be read, not changed, until `end_query`."""
    cdef Registry registry = inside.registry
    while True:
        registry.lock.check_readable()
        if registry.lock.half:
            raise BusyError("call integrate2() first: a snapshot is of a World between whole steps")
        if registry.lock.observing or registry.lock.queries:
            return registry.lock.begin_query()       # as the step, or who looks already, has it
        registry.check_not_simulated()
        catch_up(registry)
        registry.refresh()
        registry.wake_edited()
        registry.lock.begin_query()
        if is_current(registry):
            return 0
        registry.lock.end_query()                    # another thread was quicker


cdef bint is_current(Registry registry) except -1:
    """Test that the World is up to date with its mechanisms and materials."""
    cdef ArticulatedSystem robot
    for robot in registry.systems:
        if robot.model.revision_counter.value != robot.model.revision:
            return False
    return registry.material_revision == <long> registry.materials.revision


cdef Snapshot taken_now(Insides inside):
    """The same of a World that nobody may change; BusyError if somebody edits a mechanism of it all the same."""
    cdef Snapshot s = noted(inside)
    if not (inside.registry.lock.observing or is_current(inside.registry)):
        inside.members = None
        raise BusyError("a mechanism of this World, or its materials, was edited by another thread while a snapshot "
                        "was taken; take it again")
    return s


def keep_first(Insides inside not None):
    """A step begins: if it is the first one, `reset` goes to what is now."""
    while inside.first is None:
        try:
            inside.first = taken(inside)
        except BusyError:
            if is_current(inside.registry):
                raise                                # or a mechanism was edited meanwhile: once more


cdef tuple check_fits(Insides inside, Snapshot s):
    """SnapshotError if one cannot go back to it; what its schedules and extras are in this World."""
    cdef Members now
    if is_own(inside, s):
        if not s.members.are_present(inside):
            s.members.check_alike(inside)
        return s.schedules, s.extras
    extras = rest.fitting_extras(s.rest, inside)
    now = members_of(inside)
    differences.check_same(s.description(), now.description())
    schedules = rest.fitting_schedules(s.rest, inside)
    check_size(inside, s)
    return schedules, extras


cdef int go_back(Insides inside, Snapshot s) except -1:
    """Make the World what it was; the caller holds the lock."""
    cdef Undo undo
    schedules, extras = check_fits(inside, s)
    undo = note_now(inside)
    try:
        return put(inside, s, schedules, extras)
    except BaseException:
        undo.carry_out()
        raise


def snapshot(world):
    """What this World is now, to go back to.

    Returns
    -------
    snapshot : Snapshot
        Immutable; it can be pickled, and kept for as long as one likes.

    Raises
    ------
    BusyError
        Between the half steps, or while another thread steps this World; observers may take snapshots.
    """
    return taken(insides_of(world))


def restore(world, snapshot):
    """Go back to a snapshot: from there the World goes on as it did then, bit for bit.

    Objects, constraints, sensor sets and schedules that were removed since are back, under their old handles; those
    that came since are removed.  What was edited since (masses, joints, shapes, materials, settings) is as it was,
    and so are robots that were docked, cut or rebuilt: their bodies, joints and handles are the same objects as
    then.

    Parameters
    ----------
    snapshot : Snapshot
        Of this World, of a copy of it, or of one that was built in the same way.

    Raises
    ------
    SnapshotError
        If it does not fit: it is of a World with other objects, it was read from bytes and surgery was done since, or a
        body or joint is part of a mechanism by now that is of no robot of this World.  The message says what differs;
        the World is unchanged.
    BusyError
        Between the half steps, in an observer, while another thread steps this World or edits one of its mechanisms, or
        while `simulate` computes with a State that a robot had.
    """
    cdef Insides inside = insides_of(world)
    if not isinstance(snapshot, Snapshot):
        raise SnapshotError(f"snapshot must be a Snapshot of a World, got {shown(snapshot)}")
    snapshot.check_made()
    inside.registry.lock.begin_edit()
    edited = inside.registry.was_edited()
    try:
        inside.registry.check_not_simulated()
        if inside.scheduler is not None:
            inside.scheduler.check_not_calling("restore")
        go_back(inside, snapshot)
        edited = False                               # the snapshot says who sleeps
    finally:
        if not edited:
            inside.registry.note_edited()
        inside.registry.lock.end_edit()
    LOG.debug("back at %r", snapshot)


def random_of(world):
    """Random numbers of this World: a numpy Generator, PCG64 of seed 0 until another one, or a seed, is assigned.

    Its state is in snapshots and copies, so that what is drawn from it repeats itself.
    """
    cdef Insides inside = insides_of(world)
    if inside.random is None:
        inside.random = np.random.default_rng(0)
    return inside.random


def set_random(world, value):
    """Another generator, or a seed."""
    cdef Insides inside = insides_of(world)
    inside.registry.lock.check_idle()
    if isinstance(value, bool) or not isinstance(value, (int, np.integer, np.random.Generator)) or (
            not isinstance(value, np.random.Generator) and value < 0):
        raise Error(f"random must be a numpy Generator, or a seed: a whole number, 0 or more; got {shown(value)}")
    inside.random = np.random.default_rng(value)


random = property(random_of, set_random)


def state_hash(world):
    """Hash of all that decides how this World goes on, 32 hexadecimal digits: that of a snapshot taken now."""
    cdef Insides inside = insides_of(world)
    begin_look(inside)
    try:
        return taken_now(inside).hash
    finally:
        inside.registry.lock.end_query()


def reset(world):
    """Go back to where the World was before its first step, or at `set_reset_state`.

    Raises
    ------
    SnapshotError, BusyError
        As `restore` does.
    """
    cdef Insides inside = insides_of(world)
    inside.registry.lock.check_settable()
    if inside.first is not None:
        restore(world, inside.first)


def set_reset_state(world, snapshot=None):
    """Say where `reset` is to go.

    Parameters
    ----------
    snapshot : Snapshot, optional
        By default what the World is now.

    Raises
    ------
    SnapshotError
        If `restore` would refuse it; `reset` goes where it went before then.
    BusyError
        As `snapshot` does; with a snapshot, as `restore` does.
    """
    cdef Insides inside = insides_of(world)
    if snapshot is not None and not isinstance(snapshot, Snapshot):
        raise SnapshotError(f"snapshot must be a Snapshot of a World, got {shown(snapshot)}")
    if snapshot is not None:
        snapshot.check_made()
        inside.registry.lock.check_settable()
        inside.registry.lock.begin_query()
        try:
            check_fits(inside, snapshot)
        finally:
            inside.registry.lock.end_query()
    inside.first = taken(inside) if snapshot is None else snapshot
