"""Articulated systems that fly: free motion of second order, in parts where it is fast; its momentum and energy."""
