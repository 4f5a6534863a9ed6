"""Sensors as people use them: sets of files mounted in code, noise at the ends of ranges."""

import numpy as np
import pytest

import rbdyn
from rbdyn import io, models
from rbdyn.sensors import DepthCamera, Noise, RangeSensor

IMU = """<sensor_set{0}><link><sensor name="imu" type="imu" update_rate="100"><noise type="none"/></sensor></link>
</sensor_set>"""


@pytest.mark.parametrize("name", ["", ' name="xsens"'])
def test_a_set_of_a_file_is_mounted_in_code(name):
    world = rbdyn.World(0.002)
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    made = dog.add_sensor_set(io.load_sensor_set(IMU.format(name)), link=dog.body_names[0])
    assert made.name == ("xsens" if name else "sensors")
    assert list(made) == [made.sensor("imu")] and len(made) == 1
    world.step(10)
    np.testing.assert_allclose(made.sensor("imu").linear_acceleration, 0.0, atol=1e-9)  # it falls
    with pytest.raises(rbdyn.Error, match="description must be a SensorSetDescription or a name, got 3"):
        dog.add_sensor_set(3)


def test_distances_with_noise_stay_in_range():
    world = rbdyn.World(0.01)
    world.add_ground()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    dog.set_base_pose((0.0, 0.0, 1.0))
    down = rbdyn.Transform(rpy=(0.0, np.pi / 2.0, 0.0), translation=(2.0, 0.0, 0.0))
    noise = Noise("gaussian", 0.0, 1.0)
    sensors = [
        RangeSensor("range", pose=down, range_min=0.5, range_max=1.5, noise=noise),
        DepthCamera("depth", pose=down, width=8, height=6, clip_near=0.2, clip_far=1.5, noise=noise),
    ]
    made = dog.add_sensor_set("s", sensors, link=dog.body_names[0])
    ranges, depths = [], []
    for _ in range(300):
        for one in made:
            one.measure()
        ranges.append(made.sensor("range").range)
        depths.append(made.sensor("depth").depth)
    for found, low in ((np.array(ranges), 0.5), (np.array(depths), 0.2)):
        seen = found[np.isfinite(found)]
        assert low <= seen.min() < 0.6 and 1.4 < seen.max() <= 1.5 and not np.isneginf(found).any()
        assert 0.1 < np.isinf(found).mean() < 0.9
