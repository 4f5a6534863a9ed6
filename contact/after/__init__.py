"""What follows a solve: bounces that would make energy, and depths, which poses correct."""
