"""The command line: ``python -m rbdyn COMMAND``.  One file a command; each uses rbdyn as any program would."""
