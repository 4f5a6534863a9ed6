"""The same mechanism once more, in Pinocchio; quantities are mapped between the two conventions here.

Pinocchio's quaternions are [x, y, z, w], its planar angle is (cos, sin) and so is that of its unbounded revolute joint;
a free flyer stands for SPQuatFloating.  The velocities of spherical, planar and floating joints are in the child's
axes: v_pin = T(q) v, vd_pin = T vd + T' v, tau = T^T tau_pin, M = T^T M_pin T.
Pinocchio has one frame per joint, so a body sits at a constant pose in its joint's frame.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from reference.oracle import cross_matrix, rotation_about, rotation_of_projection, rotation_of_quaternion, rotors

from rbdyn.mechanism import (
    Fixed,
    Floating,
    Helical,
    Planar,
    Prismatic,
    Revolute,
    SinCosRevolute,
    Spherical,
    SPQuatFloating,
    Universal,
)


def se3(transform):
    return pin.SE3(np.array(transform.rotation), np.array(transform.translation))


def spatial_inertia(inertia):
    return pin.Inertia(inertia.mass, np.array(inertia.com), np.array(inertia.inertia))


def joint_axes(joint_type):
    """Columns: the axes of a joint that Pinocchio has only in the x-y plane or about z; None for other joints."""
    if isinstance(joint_type, Planar):
        ex, ey = np.array(joint_type.x_axis), np.array(joint_type.y_axis)
    elif isinstance(joint_type, SinCosRevolute):
        ez = np.array(joint_type.axis)
        ex = np.cross(ez, np.eye(3)[np.abs(ez).argmin()])
        ex /= np.linalg.norm(ex)
        ey = np.cross(ez, ex)
    else:
        return None
    return np.array([ex, ey, np.cross(ex, ey)]).T


def joint_model(joint_type):
    if isinstance(joint_type, Revolute):
        return pin.JointModelRevoluteUnaligned(np.array(joint_type.axis))
    if isinstance(joint_type, Helical):
        return pin.JointModelHelicalUnaligned(np.array(joint_type.axis), joint_type.pitch)
    if isinstance(joint_type, Universal):
        return pin.JointModelUniversal(np.array(joint_type.axis1), np.array(joint_type.axis2))
    if isinstance(joint_type, Prismatic):
        return pin.JointModelPrismaticUnaligned(np.array(joint_type.axis))
    if isinstance(joint_type, SinCosRevolute):
        return pin.JointModelRUBZ()
    if isinstance(joint_type, (Floating, SPQuatFloating)):
        return pin.JointModelFreeFlyer()
    return {Planar: pin.JointModelPlanar, Spherical: pin.JointModelSpherical}[type(joint_type)]()


class PinocchioTwin:
    """A mechanism without rotors, in Pinocchio; q, v and everything returned follow Mechanism.tree_joints."""

    def __init__(self, mechanism):
        self.mechanism = mechanism
        self.model = pin.Model()
        self.model.gravity.linear = mechanism.gravity
        self.place = {mechanism.root_body.name: (0, pin.SE3.Identity())}  # body -> joint, pose in the joint's frame
        self.index = {}
        for joint in depth_first(mechanism):
            edge = mechanism.edge(joint)
            parent, pose = self.place[edge.predecessor.name]
            before = pose * se3(edge.joint_pose)
            after = se3(edge.successor_pose)
            if isinstance(joint.joint_type, Fixed):
                place = (parent, before * after)
            else:
                axes = joint_axes(joint.joint_type)
                if axes is not None:
                    turn = pin.SE3(axes, np.zeros(3))
                    before, after = before * turn, turn.inverse() * after
                place = (self.model.addJoint(parent, joint_model(joint.joint_type), before, joint.name), after)
                self.index[joint.name] = place[0]
            self.place[edge.successor.name] = place
            self.model.appendBodyToJoint(place[0], spatial_inertia(edge.successor.inertia), place[1])
        self.data = self.model.createData()

    def convert(self, q, v):
        """Pinocchio's q, and T, T' with v_pin = T v and d v_pin = T vd + T' v."""
        q_pin, nv = np.zeros(self.model.nq), self.model.nv
        T, Td = np.zeros((nv, nv)), np.zeros((nv, nv))
        i = k = 0
        for joint in self.mechanism.tree_joints:
            kind = joint.joint_type
            qj, vj = q[i : i + kind.num_positions], v[k : k + kind.num_velocities]
            if kind.num_velocities:
                number = self.index[joint.name]
                a, d = self.model.idx_qs[number], self.model.idx_vs[number]
                q_pin[a : a + self.model.nqs[number]] = to_pinocchio(kind, qj)
                block = (slice(d, d + kind.num_velocities), slice(k, k + kind.num_velocities))
                T[block], Td[block] = velocity_map(kind, qj, vj)
            i, k = i + kind.num_positions, k + kind.num_velocities
        return q_pin, T, Td

    def poses(self, q):
        q_pin, _, _ = self.convert(q, np.zeros(self.model.nv))
        pin.forwardKinematics(self.model, self.data, q_pin)
        return {name: (self.data.oMi[j] * pose).homogeneous for name, (j, pose) in self.place.items()}

    def mass_matrix(self, q):
        q_pin, T, _ = self.convert(q, np.zeros(self.model.nv))
        M = pin.crba(self.model, self.data, q_pin)
        M = np.triu(M) + np.triu(M, 1).T
        return T.T @ M @ T + np.diag(rotors(self.mechanism))

    def inverse_dynamics(self, q, v, vd, external=None):
        q_pin, T, Td = self.convert(q, v)
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        poses = self.poses(q)
        for name, wrench in (external or {}).items():
            number = self.place[name][0]
            at_origin = pin.SE3(np.eye(3), poses[name][:3, 3])
            force = at_origin.act(pin.Force(np.array(wrench[3:]), np.array(wrench[:3])))
            forces[number] += self.data.oMi[number].actInv(force)
        tau = pin.rnea(self.model, self.data, q_pin, T @ v, T @ vd + Td @ v, forces)
        return T.T @ tau + rotors(self.mechanism) * vd

    def energies(self, q, v):
        """Kinetic, without rotors, and potential."""
        q_pin, T, _ = self.convert(q, v)
        pin.forwardKinematics(self.model, self.data, q_pin, T @ v)
        kinetic = pin.computeKineticEnergy(self.model, self.data)
        return kinetic, pin.computePotentialEnergy(self.model, self.data)

    def momentum(self, q, v):
        """About the world's origin, angular first."""
        q_pin, T, _ = self.convert(q, v)
        h = pin.computeCentroidalMomentum(self.model, self.data, q_pin, T @ v)
        return np.append(h.angular + np.cross(self.data.com[0], h.linear), h.linear)

    def center_of_mass(self, q):
        q_pin, _, _ = self.convert(q, np.zeros(self.model.nv))
        return pin.centerOfMass(self.model, self.data, q_pin).copy()

    def jacobian(self, q, name, point):
        """(6, nv), angular first, world axes, at a point of the body."""
        q_pin, T, _ = self.convert(q, np.zeros(self.model.nv))
        number, pose = self.place[name]
        if number == 0:
            return np.zeros((6, self.model.nv))
        pin.computeJointJacobians(self.model, self.data, q_pin)
        at_joint = pin.getJointJacobian(self.model, self.data, number, pin.LOCAL_WORLD_ALIGNED)
        arm = self.data.oMi[number].rotation @ (pose * np.array(point))
        return np.vstack([at_joint[3:], at_joint[:3] - cross_matrix(arm) @ at_joint[3:]]) @ T


def depth_first(mechanism):
    """The tree joints in the order that Pinocchio's algorithms take for granted: each subtree in one piece."""
    pending = list(reversed(mechanism.joints_to_children(mechanism.root_body)))
    while pending:
        joint = pending.pop()
        yield joint
        pending += reversed(mechanism.joints_to_children(mechanism.successor(joint)))


def to_pinocchio(kind, q):
    if isinstance(kind, Planar):
        return np.array([q[0], q[1], np.cos(q[2]), np.sin(q[2])])
    if isinstance(kind, Spherical):
        return q[[1, 2, 3, 0]]
    if isinstance(kind, Floating):
        return q[[0, 1, 2, 4, 5, 6, 3]]
    if isinstance(kind, SPQuatFloating):
        quat = pin.Quaternion(rotation_of_projection(q[3:])).coeffs()
        return np.append(q[:3], quat if quat[3] >= 0 else -quat)
    if isinstance(kind, SinCosRevolute):
        return q[::-1]
    return q


def velocity_map(kind, q, v):
    """T and its rate for one joint: the axes in which v is given, turned to the child's."""
    n = kind.num_velocities
    if isinstance(kind, Planar):
        angle = np.array([q[2], v[2], 0.0, 0.0])
        R = rotation_about(np.array([0.0, 0.0, 1.0]), angle)
        return R[0].T, R[1].T
    if isinstance(kind, (Spherical, Floating, SPQuatFloating)):
        R = rotation_of_projection(q[3:]) if isinstance(kind, SPQuatFloating) else rotation_of_quaternion(q[-4:])
        rate = -R.T @ cross_matrix(v[-3:])
        T, Td = np.kron(np.eye(n // 3), R.T), np.kron(np.eye(n // 3), rate)
        return T, Td
    return np.eye(n), np.zeros((n, n))
