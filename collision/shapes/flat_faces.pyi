import numpy as np

def grow_faces(
    vertices: np.ndarray,
    normals: np.ndarray,
    triangles: np.ndarray,
    around: tuple[np.ndarray, np.ndarray],
    owner: tuple[np.ndarray, np.ndarray],
    order: np.ndarray,
    alone: np.ndarray,
    taken: np.ndarray,
    tolerance: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
