"""What follows a solve: the velocities that its impulses make, and depths, which poses correct."""
