"""Budgets on disk: what may be spent on a dataset, and what has been."""
