"""What algorithms share: points, wrenches, checks of models and results, and work that takes long."""
