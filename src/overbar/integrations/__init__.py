"""Neighbours: one file each, none imported unless asked for."""
