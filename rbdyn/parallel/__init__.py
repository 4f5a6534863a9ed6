"""Many Worlds at once: side by side on the threads of one machine, and sweeps over many machines."""
