"""What each joint type does, in C: one file a type, and `dispatch.pxd`, the one place that asks which."""
