"""Neighbours: tables of every engine, other privacy libraries, learning pipelines.

frames         private selection from pandas, Polars, PyArrow, DuckDB and PySpark tables
dp_accounting  a plan as an event that Google's accountants compose
opendp         a run as an OpenDP measurement
sklearn        private feature selection in a pipeline

Each needs its neighbour installed, and none is imported unless it is asked for.
"""
