"""What every algorithm reads: points, wrenches, and whether a model is what it takes."""
