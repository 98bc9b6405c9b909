"""Connections to other libraries: dp_accounting, OpenDP.

dp_accounting  a plan as an event that Google's accountants compose
opendp         a run as an OpenDP measurement

Each needs that library to be installed, and is imported only when you ask for it.
"""
