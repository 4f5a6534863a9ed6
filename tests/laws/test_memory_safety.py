"""Public calls that once read or wrote memory not theirs: each is refused, or gives the right answer.

Each case runs in a process of its own, so that a crash is one failed test.  `make asan` runs them with sanitizers.
"""

import os
import subprocess
import sys
import textwrap

import pytest

BEGINNING = """
import gc, faulthandler
import numpy as np
import rbdyn
from rbdyn import collision, contact
REFUSALS = (rbdyn.Error, TypeError, MemoryError)

def refuses(call, *arguments):
    "Whether the call is refused; its answer may not matter otherwise."
    try:
        call(*arguments)
    except REFUSALS as error:
        assert len(str(error)) < 2000, "a long message"
        return True
    return False

def falling():
    "A World with a ball on the ground, which still works after it was refused something."
    world = rbdyn.World()
    world.add_ground()
    world.add_sphere(0.1, 1.0).set_pose([0.0, 0.0, 0.1])
    return world

def still_works(world):
    world.step(50)
    ball = world.objects[1]
    assert abs(ball.position[2] - 0.1) < 1e-3, ball.position
"""

CASES = {
    "c01 a joint type with another number of velocities": """
        class Wide(rbdyn.Revolute):
            num_velocities = 40
            num_positions = 40
        m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
        def build():
            m.attach(m.root_body, rbdyn.RigidBody("body"), rbdyn.Joint("joint", Wide()))
            state = rbdyn.State(rbdyn.Model(m))
            assert state.model.nv == 1, "not the kind's number"
            rbdyn.mass_matrix(state)
            rbdyn.coriolis_matrix(state)
        refuses(build)
        """,
    "c02 a joint with another number of velocities": """
        def build(kind, n):
            class Wide(rbdyn.Joint):
                num_velocities = property(lambda self: n)
            m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
            m.attach(m.root_body, rbdyn.RigidBody("body", rbdyn.SpatialInertia(1.0, inertia=np.eye(3))),
                     Wide("joint", kind))
            state = rbdyn.State(rbdyn.Model(m))
            assert state.model.nv == kind.num_velocities
            rbdyn.mass_matrix(state)
            rbdyn.forward_dynamics(state, np.zeros(state.model.nv))
        for kind, n in ((rbdyn.Revolute(), 40), (rbdyn.Revolute(), 0), (rbdyn.Floating(), 1), (rbdyn.Spherical(), 2)):
            refuses(build, kind, n)
        """,
    "c02 a joint type that is not one of ours": """
        class Mine(rbdyn.JointType):
            kind = "mine"
            num_positions = num_velocities = 50
        m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
        def build():
            m.attach(m.root_body, rbdyn.RigidBody("body"), rbdyn.Joint("joint", Mine()))
            rbdyn.State(rbdyn.Model(m))
        assert refuses(build)
        """,
    "c03 a World whose making failed": """
        solver = contact.BisectionSolver()
        first = falling()
        first = rbdyn.World(contact=solver)
        class Careless(rbdyn.World):
            def __init__(self):
                try:
                    super().__init__(contact=solver)
                except rbdyn.Error:
                    pass
        world = Careless()
        calls = [world.step, world.integrate1, world.integrate2, world.add_ground, lambda: world.add_sphere(0.1, 1.0),
                 lambda: world.contacts, lambda: world.objects, lambda: world.find("x"), lambda: repr(world)]
        assert all(refuses(call) for call in calls[:3])
        for call in calls:
            refuses(call)
        still_works(falling())
        """,
    "c04 shapes from a generator that adds bodies": """
        world = falling()
        def shapes():
            for k in range(100):
                world.add_sphere(0.05, 1.0).set_pose([5.0 + k, 5.0, 5.0])
            yield rbdyn.Geometry(collision.Sphere(0.1))
        def add():
            world.add_single_body(shapes(), 1.0, 0.01 * np.eye(3))
        refuses(add)
        gc.collect()
        for body in world.objects[102:]:
            body.set_pose([5.0, 9.0, 5.0])
        still_works(world)
        """,
    **{
        f"c05 a collision backend that answers {number}": f"""
        class Liar(collision.NativeBackend):
            def add_shape(self, *arguments, **options):
                super().add_shape(*arguments, **options)
                return {number}
        world = rbdyn.World(collision=Liar())
        assert refuses(world.add_sphere, 0.1, 1.0)
        refuses(world.step)
        gc.collect()
        """
        for number in ("-5", "2**31 - 1", "2**30", "2**40", "None", "'one'", "1.5")
    },
    "c05 a collision backend that fails": """
        class Fails(collision.NativeBackend):
            calls = 0
            def add_shape(self, *arguments, **options):
                Fails.calls += 1
                if Fails.calls > 2:
                    raise MemoryError("no room")
                return super().add_shape(*arguments, **options)
        world = rbdyn.World(collision=Fails())
        world.add_ground()
        def two():
            world.add_single_body([rbdyn.Geometry(collision.Sphere(0.1))] * 2, 1.0, 0.01 * np.eye(3))
        assert refuses(two)
        assert len(world.objects) == 1
        world.step(3)
        """,
    "c07 impulses that a solver resizes": """
        class Resizes(contact.ContactSolver):
            def solve(self, problem):
                impulse = problem.impulse
                for n in (200000, 1):
                    try:
                        impulse.resize((n, 3), refcheck=False)
                    except ValueError:
                        pass
                gc.collect()
                problem.velocity()
        world = rbdyn.World(contact=Resizes())
        world.add_ground()
        world.add_box(1.0, 1.0, 1.0, 1.0).set_pose([0.0, 0.0, 0.5])
        refuses(world.step)
        """,
    "c06 impulses with other strides": """
        p = contact.Problem(np.eye(300), -np.ones((100, 3)), np.full(100, 0.5))
        impulse = p.impulse
        try:
            impulse.strides = (8, 800)
        except (AttributeError, ValueError):
            pass     # Python itself says that it cannot be done
        for call in (contact.BisectionSolver().solve, contact.PGSSolver().solve):
            if not refuses(call, p):
                assert np.allclose(p.impulse[:, 2], 1.0) and np.isfinite(p.impulse).all()
        """,
    "c07 impulses that are resized": """
        p = contact.Problem(np.eye(300), -np.ones((100, 3)), np.full(100, 0.5))
        impulse = p.impulse
        for n in (200000, 100):
            try:
                impulse.resize((n, 3), refcheck=False)
            except ValueError:
                pass     # NumPy itself says that the array is not its own
        others = [np.ones((100, 3)) for _ in range(200)]
        for call in (contact.BisectionSolver().solve, contact.PGSSolver().solve):
            if not refuses(call, p):
                assert np.allclose(p.impulse[:, 2], 1.0) and np.isfinite(p.impulse).all()
        refuses(p.velocity)
        assert all((other == 1.0).all() for other in others), "somebody else's memory was written"
        """,
    "c08 a pose that changes while it is read": """
        class Changing:
            def __init__(self, before):
                self.left = before
            def __array__(self, dtype=None, copy=None):
                self.left -= 1
                return np.array([0.5] * 4 if self.left >= 0 else [1.0])
            def __len__(self):
                return 4
            def __getitem__(self, k):
                return 0.5
        world = falling()
        ball = world.add_sphere(0.1, 1.0)
        for before in range(6):
            ball.set_pose([3.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0])
            refuses(ball.set_pose, None, Changing(before))
            assert ball.orientation.tolist() in ([0.5] * 4, [1.0, 0.0, 0.0, 0.0]), ball.orientation
        still_works(world)
        """,
    "c09 velocities that resize q": """
        state = rbdyn.State(rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 2000)))
        q = np.ones(2000)
        class Resizes:
            def __array__(self, dtype=None, copy=None):
                q.resize(1, refcheck=False)
                gc.collect()
                return np.ones(2000)
        if not refuses(state.set, q, Resizes()):
            assert (np.asarray(state.q) == 1.0).all()
        assert np.isfinite(state.q).all() and np.isfinite(state.v).all()
        """,
    "c10 velocities that write nan into q": """
        state = rbdyn.State(rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 5)))
        q = np.ones(5)
        class Writes:
            def __array__(self, dtype=None, copy=None):
                q[:] = np.nan
                return np.ones(5)
        refuses(state.set, q, Writes())
        assert np.isfinite(state.q).all() and np.isfinite(state.v).all()
        robot = rbdyn.World().add_articulated_system(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 5))
        q = np.ones(5)
        refuses(robot.set_state, q, Writes())
        assert np.isfinite(robot.q).all() and np.isfinite(robot.v).all()
        """,
    **{
        f"c11 a table of materials that is {what}": f"""
        def sliding(replace):
            world = falling()
            world.objects[1].set_velocity([1.0, 0.0, 0.0])
            world.step()
            if replace:
                world.materials.table = lambda names: {value}
            world.materials.default = contact.MaterialPair(0.01)
            world.step(100)
            return world.objects[1].position.tolist()
        expected, found = sliding(False), []
        try:
            refused = refuses(lambda: found.extend(sliding(True)))
        except AttributeError:
            refused = True      # Python itself says that it cannot be done
        assert refused or found == expected, (found, expected)
        """
        for what, value in {
            "too small": "np.ones((1, 1, 1))",
            "empty": "np.zeros(0)",
            "of whole numbers": "np.ones((1, 1, 5), int)",
            "nan": "np.full((1, 1, 5), np.nan)",
            "none": "None",
        }.items()
    },
    "c11 materials that are exchanged": """
        world = falling()
        world.step()
        class Mine(contact.MaterialTable):
            def table(self, names):
                return np.ones((1, 1, 1))
        def exchange():
            world.materials = Mine()
            world.step()
        try:
            refuses(exchange)
        except AttributeError:
            pass
        """,
    "c12 making a live World once more": """
        world = falling()
        for again in (world.__init__, lambda: rbdyn.World.__init__(world, 0.001)):
            refuses(again)
        for base in type(world).__mro__[1:-1]:
            for arguments in ((), (collision.NativeBackend(),), (1e-3,)):
                try:
                    refuses(base.__init__, world, *arguments)
                except AttributeError:
                    pass
        still_works(world)
        """,
    "c13 c14 what is private": """
        world = falling()
        empty = rbdyn.World.__new__(rbdyn.World)
        model = rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 3))
        other = rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Floating] * 9))
        states = [rbdyn.State(model), rbdyn.State(other), rbdyn.State.__new__(rbdyn.State)]
        given = [(), (None,), (world,), (empty,), *((s,) for s in states), (0,), (-1,), (10**6,), ("x",)]
        things = [world, empty, world.objects[0], world.objects[1], *states, model, rbdyn.Model.__new__(rbdyn.Model)]
        for thing in things:
            for name in dir(type(thing)):
                if name.startswith("_") and not name.startswith("__") and callable(getattr(type(thing), name, None)):
                    for arguments in given:
                        try:
                            getattr(thing, name)(*arguments)
                        except Exception:
                            pass       # private: any error, and no crash
        """,
}


@pytest.mark.parametrize("name", CASES)
def test_is_refused_or_right(name):
    code = BEGINNING + textwrap.dedent(CASES[name])
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"MALLOC_PERTURB_": "165"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
