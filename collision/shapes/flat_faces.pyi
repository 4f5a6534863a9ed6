import numpy as np

def grow_faces(
    vertices: np.ndarray,
    normals: np.ndarray,
    triangles: np.ndarray,
    edges: tuple[np.ndarray, np.ndarray],
    order: np.ndarray,
    taken: np.ndarray,
    tolerance: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
