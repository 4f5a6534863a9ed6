"""What the general kernel asks of each convex shape: its farthest point, and the face, edge or point around it."""
