"""Motions with a closed form, of joints and of wires; `python -m benchmarks --only closed_forms` shows their errors."""
