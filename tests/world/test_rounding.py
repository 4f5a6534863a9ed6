"""Steps give the same bits whatever the rounding mode of the calling thread, and leave that as it is."""

import ctypes
import ctypes.util
import platform

import numpy as np
import pytest
from world.surgery.robots import floating

from rbdyn import Error
from rbdyn.contact import BisectionSolver
from rbdyn.parallel import VectorWorld
from rbdyn.world import World

MODES = {"x86_64": {"down": 0x400, "up": 0x800, "zero": 0xC00},
         "aarch64": {"down": 0x800000, "up": 0x400000, "zero": 0xC00000}}.get(platform.machine(), {})  # fenv.h of glibc
LIBM = ctypes.util.find_library("m")
HERE = MODES and LIBM and platform.system() == "Linux"
pytestmark = pytest.mark.skipif(not HERE, reason="needs glibc's fesetround")


def fractions():
    """1/3 and 1/10, of which rounding to nearest takes one down and one up."""
    return 1.0 / np.array([3.0, 10.0])


@pytest.fixture(params=MODES)
def rounding(request):
    """Set and reset the mode of this thread."""
    libm = ctypes.CDLL(LIBM)

    class Rounding:
        def __enter__(self):
            self.nearest = fractions()
            assert libm.fesetround(MODES[request.param]) == 0

        def __exit__(self, *error):
            kept, other = libm.fegetround(), fractions()
            libm.fesetround(0)
            assert kept == MODES[request.param]
            assert (other == self.nearest).sum() == 1         # one of them is rounded otherwise
            assert (fractions() == self.nearest).all()

    return Rounding()


def scene(contact="bisection"):
    """A robot and balls that fall onto the ground, with rows."""
    world = World(1e-3, contact=contact)
    world.add_ground()
    world.add_articulated_system(floating("a", 3, 4), name="a").set_base_pose((0.0, 0.0, 0.4))
    for k in range(6):
        world.add_sphere(0.1, 1.0, name=f"ball{k}").set_pose((1.0 + 0.15 * k, 0.0, 0.2 + 0.01 * k))
    world.add_spring(world.find("ball0"), world.find("ball1"), 10.0, name="spring")
    world.step()
    return world


def halves(world, n):
    for _ in range(n):
        world.integrate1()
        world.integrate2()


@pytest.mark.parametrize("take", [World.step, halves], ids=["steps", "half steps"])
@pytest.mark.parametrize("threads", [1, 2])
def test_steps(rounding, take, threads):
    one, other = (scene(BisectionSolver(threads=threads)) for _ in range(2))
    take(one, 200)
    with rounding:
        take(other, 200)
    assert other.state_hash() == one.state_hash()


@pytest.mark.parametrize("threads", [1, 2])
def test_steps_of_many_worlds(rounding, threads):
    fleets = []
    for k in range(2):
        fleets.append(VectorWorld(scene(), 4, threads=threads))
        if k == 0:
            fleets[k].step(100)
        else:
            with rounding:
                fleets[k].step(100)
    assert [w.state_hash() for w in fleets[0].worlds] == [w.state_hash() for w in fleets[1].worlds]


def test_an_error_in_a_step_resets_the_mode(rounding):
    world = scene()

    def law(length, rate):
        raise ZeroDivisionError

    world.add_custom_wire(world.find("ball0"), world.find("ball2"), law=law)
    with rounding, pytest.raises(Error, match="ZeroDivisionError"):
        world.step()
