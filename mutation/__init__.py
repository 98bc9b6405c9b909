"""Mutation testing: change the code in small ways, one at a time, and see whether a test notices.

operators   which changes there are
survey      which test executes which line, and how long it takes
trial       one change, in a process of its own
report      scores and survivors
"""
