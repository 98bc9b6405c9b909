"""A private selection on a generated data set: what most customers buy.

Run it with `make demo`. The data is made up here, so the truth may be shown beside the answer.
"""

import numpy as np

import overbar

CUSTOMERS, PRODUCTS, CUTOFF = 50_000, 5_000, 10
THRESHOLD = 4_000

generator = np.random.default_rng(2024)
popularity = np.minimum(0.5, 0.9 / np.arange(1, PRODUCTS + 1))
counts = generator.permutation(generator.binomial(CUSTOMERS, popularity))

print(f"{PRODUCTS:,} products, {CUSTOMERS:,} customers; each customer counts once per product,")
print("so one customer moves every count by at most 1, and all in the same direction.\n")

plan = overbar.calibrate(epsilon=1, cutoff=CUTOFF, monotonic=True, candidates=PRODUCTS)
print(f"{plan!r}\n")

above = overbar.select(counts, threshold=THRESHOLD, plan=plan)
print(f"Products bought by more than {THRESHOLD:,} customers\n{above}\n")

top = overbar.top(counts, upper_bound=CUSTOMERS, cutoff=CUTOFF, epsilon=1, monotonic=True)
print(f"The {CUTOFF} products bought most\n{top}\n")

truth = np.argsort(-counts)[:CUTOFF]
print("The truth, which only made-up data may show:")
print(f"  above the threshold: {np.count_nonzero(counts > THRESHOLD)} products, ", end="")
print(f"of which {np.count_nonzero(counts[list(above.indices)] > THRESHOLD)} were found")
print(f"  top {CUTOFF}: {len(set(truth) & set(top.indices))} of {CUTOFF} were found")
