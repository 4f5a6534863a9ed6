"""Five real robots, read from the same files by rbdyn and by Pinocchio, with rotors on all joints.

Joints are matched by name, and configurations and velocities converted here: Pinocchio's free flyer has quaternions
[x, y, z, w] and velocities in the body's axes.
"""

from pathlib import Path

import numpy as np
import pytest
from reference.compare import close, nontrivial
from reference.oracle import cross_matrix

import rbdyn
from rbdyn import io

pin = pytest.importorskip("pinocchio")
ROBOTS = Path(pin.__file__).parents[4] / "share" / "example-robot-data" / "robots"
if not ROBOTS.is_dir():
    pytest.skip("example-robot-data is not installed", allow_module_level=True)

FILES = {  # name: file, floating, degrees of freedom
    "anymal_c": ("anymal_c_simple_description/urdf/anymal.urdf", True, 18),
    "talos": ("talos_data/robots/talos_reduced.urdf", True, 38),
    "panda": ("panda_description/urdf/panda.urdf", False, 9),
    "ur5": ("ur_description/urdf/ur5_robot.urdf", False, 6),
    "icub": ("icub_description/robots/icub.urdf", True, 38),
}


class Pair:
    """One robot twice, at the same random state; T maps v to Pinocchio's and bias is d(T v)/dt - T vd."""

    def __init__(self, file, floating):
        rng = np.random.default_rng(11)
        path = ROBOTS / file
        self.mechanism = io.load_urdf(path, resource_dirs=[ROBOTS], floating=floating, collision_mesh="skip")
        self.twin = pin.buildModelFromUrdf(str(path), *([pin.JointModelFreeFlyer()] if floating else []))
        for joint in self.mechanism.tree_joints:
            if joint.num_velocities == 1:
                joint.rotor_inertia = rng.uniform(0.01, 0.4)
                self.twin.armature[self.twin.idx_vs[self.twin.getJointId(joint.name)]] = joint.rotor_inertia
        self.data = self.twin.createData()
        self.model = rbdyn.Model(self.mechanism)
        self.state = rbdyn.State(self.model)
        q = self.model.random(rng)
        self.v, self.vd, self.tau = rng.normal(size=(3, self.model.nv))
        self.state.set(q, self.v)
        self.convert(q, floating)

    def convert(self, q, floating):
        nv = self.model.nv
        self.q_pin, self.bias = np.zeros(self.twin.nq), np.zeros(nv)
        self.T, self.T_dot = np.zeros((2, nv, nv))
        for name in self.model.joint_names:
            if name not in self.twin.names:
                continue  # the base joint, below
            number = self.twin.getJointId(name)
            angle, a = q[self.model.joint_q_index(name)], self.twin.idx_qs[number]
            self.q_pin[a : a + self.twin.nqs[number]] = (
                [angle] if self.twin.nqs[number] == 1 else [np.cos(angle), np.sin(angle)]
            )
            self.T[self.twin.idx_vs[number], self.model.joint_v_index(name)] = 1.0
        if floating:
            assert [j.num_velocities for j in self.mechanism.tree_joints][0] == 6
            w, x, y, z = q[3:7]
            self.q_pin[:7] = [*q[:3], x, y, z, w]
            R = pin.Quaternion(w, x, y, z).toRotationMatrix()
            self.T[:3, :3] = self.T[3:6, 3:6] = R.T
            self.bias[:3] = -R.T @ cross_matrix(self.v[3:6]) @ self.v[:3]
            self.T_dot[:3, :3] = self.T_dot[3:6, 3:6] = -R.T @ cross_matrix(self.v[3:6])
        assert (np.abs(self.T).sum(axis=0) > 0).all()
        assert (np.abs(self.T).sum(axis=1) > 0).all()

    def rnea(self, v, vd, forces=None):
        """Pinocchio's inverse dynamics in our coordinates."""
        args = (self.twin, self.data, self.q_pin, self.T @ v, self.T @ vd + self.bias * (v is self.v))
        return self.T.T @ (pin.rnea(*args, forces) if forces else pin.rnea(*args))


@pytest.fixture(params=FILES, scope="module")
def pair(request):
    file, floating, nv = FILES[request.param]
    pair = Pair(file, floating)
    assert pair.model.nv == pair.twin.nv == nv
    return pair


def test_mass_matrix(pair):
    M = pin.crba(pair.twin, pair.data, pair.q_pin)
    M = pair.T.T @ (np.triu(M) + np.triu(M, 1).T) @ pair.T
    nontrivial(M)
    close(rbdyn.mass_matrix(pair.state), M)
    inverse = np.linalg.inv(M)
    close(rbdyn.inverse_mass_matrix(pair.state), inverse)
    close(rbdyn.solve_mass_matrix(pair.state, pair.tau), inverse @ pair.tau)
    close(rbdyn.mass_matrix_times(pair.state, pair.vd), M @ pair.vd)


def test_inverse_dynamics(pair):
    expected = pair.rnea(pair.v, pair.vd)
    nontrivial(expected)
    close(rbdyn.inverse_dynamics(pair.state, pair.vd), expected)
    close(rbdyn.bias_forces(pair.state), pair.rnea(pair.v, 0 * pair.vd))


def test_inverse_dynamics_under_external_wrenches(pair):
    rng = np.random.default_rng(5)
    pin.forwardKinematics(pair.twin, pair.data, pair.q_pin)
    pin.updateFramePlacements(pair.twin, pair.data)
    forces = [pin.Force.Zero() for _ in range(pair.twin.njoints)]
    external = {}
    for name in [b.name for b in pair.mechanism.bodies[2::4]]:
        external[name] = wrench = 10 * rng.normal(size=6)
        frame = pair.twin.frames[pair.twin.getFrameId(name, pin.FrameType.BODY)]
        origin = pin.SE3(np.eye(3), (pair.data.oMi[frame.parentJoint] * frame.placement).translation)
        force = origin.act(pin.Force(wrench[3:], wrench[:3]))
        forces[frame.parentJoint] += pair.data.oMi[frame.parentJoint].actInv(force)
    expected = pair.rnea(pair.v, pair.vd, forces)
    nontrivial(expected - pair.rnea(pair.v, pair.vd))
    close(rbdyn.inverse_dynamics(pair.state, pair.vd, external), expected)


def test_forward_dynamics(pair):
    T_inv = np.linalg.inv(pair.T)
    vd_pin = pin.aba(pair.twin, pair.data, pair.q_pin, pair.T @ pair.v, T_inv.T @ pair.tau)
    expected = T_inv @ (vd_pin - pair.bias)
    nontrivial(expected)
    close(rbdyn.forward_dynamics(pair.state, pair.tau), expected)


def test_poses_and_jacobians_of_every_link(pair):
    """Links that rbdyn merged are frames in Pinocchio."""
    pin.computeJointJacobians(pair.twin, pair.data, pair.q_pin)
    pin.updateFramePlacements(pair.twin, pair.data)
    count = 0
    for body in pair.mechanism.bodies:
        if not pair.twin.existFrame(body.name, pin.FrameType.BODY):
            assert body is pair.mechanism.root_body
            continue
        frame = pair.twin.getFrameId(body.name, pin.FrameType.BODY)
        close(rbdyn.body_pose(pair.state, body.name), pair.data.oMf[frame].homogeneous)
        for reference, jacobian in (
            (pin.LOCAL_WORLD_ALIGNED, rbdyn.point_jacobian_6d(pair.state, body.name)),
            (pin.LOCAL, rbdyn.body_spatial_jacobian(pair.state, body.name)),
        ):
            J = pin.getFrameJacobian(pair.twin, pair.data, frame, reference) @ pair.T
            close(jacobian, J[[3, 4, 5, 0, 1, 2]])
        count += 1
    assert count >= pair.twin.nv - 5


def test_rates_of_the_jacobians_of_every_link(pair):
    """d(J T)/dt = J' T + J T'; the third is about the world's origin."""
    pin.computeJointJacobiansTimeVariation(pair.twin, pair.data, pair.q_pin, pair.T @ pair.v)
    pin.updateFramePlacements(pair.twin, pair.data)
    largest = 0.0
    for body in pair.mechanism.bodies:
        if not pair.twin.existFrame(body.name, pin.FrameType.BODY):
            continue
        frame = pair.twin.getFrameId(body.name, pin.FrameType.BODY)
        for reference, jacobian_dot in (
            (pin.LOCAL_WORLD_ALIGNED, rbdyn.point_jacobian_dot_6d(pair.state, body.name)),
            (pin.LOCAL, rbdyn.body_spatial_jacobian_dot(pair.state, body.name)),
            (pin.WORLD, rbdyn.relative_body_spatial_jacobian_dot(pair.state, body.name, "world", "world")),
        ):
            J = pin.getFrameJacobian(pair.twin, pair.data, frame, reference)
            J_dot = pin.getFrameJacobianTimeVariation(pair.twin, pair.data, frame, reference)
            expected = (J_dot @ pair.T + J @ pair.T_dot)[[3, 4, 5, 0, 1, 2]]
            largest = max(largest, np.abs(expected).max())
            close(jacobian_dot, expected)
    nontrivial(largest)


def test_momentum_bias_and_com_jacobian(pair):
    """Pinocchio's are about the centre of mass; ours about the world's origin."""
    v_pin = pair.T @ pair.v
    J_com = pin.jacobianCenterOfMass(pair.twin, pair.data, pair.q_pin) @ pair.T
    close(rbdyn.center_of_mass_jacobian(pair.state), J_com)
    A_dot = pin.computeCentroidalMapTimeVariation(pair.twin, pair.data, pair.q_pin, v_pin)
    rate = A_dot @ v_pin + pair.data.Ag @ pair.bias
    com = pin.centerOfMass(pair.twin, pair.data, pair.q_pin)
    nontrivial(rate)
    close(rbdyn.momentum_bias(pair.state), np.append(rate[3:] + np.cross(com, rate[:3]), rate[:3]))
    A = pair.data.Ag @ pair.T
    moments = A[3:] + np.cross(com, A[:3], axisb=0, axisc=0)
    close(rbdyn.momentum_matrix(pair.state), np.vstack([moments, A[:3]]))


def test_energies_and_momentum(pair):
    v_pin = pair.T @ pair.v
    bare = pair.twin.copy()  # Pinocchio 4.1 counts no rotors of joints with oblique axes, so they are added here
    bare.armature = np.zeros(bare.nv)
    kinetic = pin.computeKineticEnergy(bare, bare.createData(), pair.q_pin, v_pin)
    close(rbdyn.kinetic_energy(pair.state), kinetic + 0.5 * pair.twin.armature @ v_pin**2)
    close(rbdyn.potential_energy(pair.state), pin.computePotentialEnergy(pair.twin, pair.data, pair.q_pin))
    com = pin.centerOfMass(pair.twin, pair.data, pair.q_pin)
    close(rbdyn.center_of_mass(pair.state), com)
    h = pin.computeCentroidalMomentum(pair.twin, pair.data, pair.q_pin, v_pin)
    nontrivial(h.vector)
    close(rbdyn.momentum(pair.state), np.append(h.angular + np.cross(com, h.linear), h.linear))
    close(rbdyn.angular_momentum(pair.state), h.angular)


def test_convert_to_pinocchio_agrees_with_the_conversion_here(pair):
    q_pin, v_pin = rbdyn.convert(pair.model, pair.state.q, pair.state.v, to="pinocchio")
    if pair.model.nq == pair.twin.nq and all(
        pair.model.joint_v_index(n) == pair.twin.idx_vs[pair.twin.getJointId(n)]
        for n in pair.model.joint_names
        if n in pair.twin.names
    ):
        close(q_pin, pair.q_pin, 1e-14)
        close(v_pin, pair.T @ pair.v, 1e-14)
    q, v = rbdyn.convert(pair.model, q_pin, v_pin, source="pinocchio")
    close(q, pair.state.q, 1e-14)
    close(v, pair.v, 1e-14)
