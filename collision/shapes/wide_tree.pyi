import numpy as np

WIDE_NODE: np.dtype[np.void]

def wide_tree(nodes: np.ndarray) -> np.ndarray: ...
