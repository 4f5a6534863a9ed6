"""The command line: ``rbdyn COMMAND``, or ``python -m rbdyn COMMAND``.

One file a command; each uses rbdyn as any program would.
"""
