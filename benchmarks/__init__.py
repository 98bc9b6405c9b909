"""Benchmarks: run by hand, never by a timed test."""
