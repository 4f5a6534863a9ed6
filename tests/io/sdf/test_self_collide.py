"""<self_collide>: by default links of a model do not collide with one another; two do if both say so."""

import pytest

import rbdyn
from rbdyn import io

BALL = "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"


def model(inside="", **links):
    parts = [f"<link name='{name}'><inertial/>{BALL}{links.get(name, '')}</link>" for name in "abc"]
    axis = "<axis><xyz>0 0 1</xyz></axis>"
    joints = [f"<joint name='{a}{b}' type='revolute'><parent>{a}</parent><child>{b}</child>{axis}</joint>"
              for a, b in ("ab", "bc")]  # fmt: skip
    return f"<sdf version='1.9'><model name='m'>{inside}{''.join(parts + joints)}</model></sdf>"


def touching(mechanism, **options):
    world = rbdyn.World()
    robot = world.add_articulated_system(mechanism, **options)
    world.integrate1()
    return robot.self_collision, {tuple(sorted((c.link_a, c.link_b))) for c in world.contacts}


YES, NO = "<self_collide>true</self_collide>", "<self_collide>0</self_collide>"


@pytest.mark.parametrize(("text", "expected"), [
    (model(), set()),
    (model(NO), set()),
    (model(YES), {("a", "c")}),
    (model(a=YES), set()),
    (model(a=YES, c=YES), {("a", "c")}),
    (model(YES, c=NO), set()),
    (model(NO, a=YES, c=YES), {("a", "c")}),
    (model(YES, b=NO), {("a", "c")}),
])  # fmt: skip
def test_links_collide_if_both_say_so(text, expected):
    mechanism = io.load_sdf(text, strict=True)
    own, found = touching(mechanism)
    assert found == expected
    assert own == ("true" in text)
    world = rbdyn.World()
    world.add_articulated_system(mechanism)
    assert touching(io.load_world(io.world_text(world)).objects[0].mechanism) == (own, expected)


def test_a_world_may_override_it():
    mechanism = io.load_sdf(model())
    assert not mechanism.self_collision
    assert touching(mechanism, self_collision=True) == (True, {("a", "c")})
    world = rbdyn.World()
    world.add_articulated_system(mechanism, self_collision=True)
    again = io.load_world(io.world_text(world))
    assert again.objects[0].self_collision


def test_it_is_true_or_false():
    with pytest.raises(rbdyn.SdfError, match=r"<text>:1: .*'perhaps' must be true or false"):
        io.load_sdf(model("<self_collide>perhaps</self_collide>"))
