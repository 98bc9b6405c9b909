"""Exact draws for releases, from the operating system's bits alone.

Nothing here is decided by an uncertified float. Floats only set aside what is far from any edge,
with margins many orders wider than their error; what is near one is decided by ball arithmetic.
How long a draw takes may depend on the private gaps; only the threshold's noise is drawn in a time
that does not depend on its value.

Theory: :doc:`/theory/exact`.
"""
