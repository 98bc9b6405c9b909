"""Connections to other libraries: scikit-learn, dp_accounting, OpenDP.

dp_accounting  a plan as an event that Google's accountants compose
opendp         a run as an OpenDP measurement
sklearn        private feature selection in a pipeline

Each needs that library to be installed, and is imported only when you ask for it.
"""
