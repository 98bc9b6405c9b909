"""Connections to other libraries: dp_accounting, OpenDP.

dp_accounting  a plan as an event that Google's accountants compose
opendp         a run as an OpenDP measurement

``loss_distribution`` has the losses of a plan and their chances, for others to compose.

Each needs that library to be installed, and is imported only when you ask for it.
"""
