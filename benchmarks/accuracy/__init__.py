"""What the benchmarks of accuracy share: float runs of plans, datasets and other people's methods.

Floats and a seed, so nothing here is private. Benchmarks compare it with real releases.
"""
