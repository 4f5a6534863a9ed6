import numpy as np

NODE: np.dtype[np.void]

def bounding_tree(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...
