def target(
    v_in: float,
    depth: float,
    dt: float,
    *,
    erp: float = 0.2,
    slop: float = 1e-5,
    v_erp_max: float = 1.0,
    restitution: float = 0.0,
    threshold: float = 0.0,
) -> float: ...
def friction_at(friction: float, static_friction: float, static_threshold: float, slip_speed: float) -> float: ...
