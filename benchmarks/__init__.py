"""Benchmarks: run by hand, never by a timed test. Tests run the smallest sizes of each."""


class AbsentError(Exception):
    """A benchmark needs files or packages that are not here."""
