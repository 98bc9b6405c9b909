"""One guarantee for a sparse vector run and whatever else you release, by Google's accountants.

Needs `pip install '.[accounting]'`.
"""

from dp_accounting import GaussianDpEvent

import overbar
from overbar.integrations.dp_accounting import PLDAccountant, RdpAccountant, event

EPSILON, DELTA = 1, "1e-6"
PRODUCTS = 10_000

# First which products are popular, then how many customers each of them has.
plan = overbar.plan(
    epsilon=EPSILON,
    delta=DELTA,
    cutoff=50,
    monotonic=True,
    candidates=PRODUCTS,
    noise="gumbel",  # with delta > 0, exponential noise has no proof
)
print(f"The selection alone:  {overbar.guarantee(plan)}")

# A customer is in up to 50 of the counts, so the vector of counts moves by at most 50 ** 0.5. The
# event takes the ratio of noise to sensitivity: 8 means a standard deviation of 8 * 50 ** 0.5,
# which is 57 customers.
noise_ratio = 8.0
counts = GaussianDpEvent(noise_ratio)
gaussian = PLDAccountant().compose(counts).get_epsilon(float(DELTA))
print(f"The counts alone:     epsilon={gaussian:.3f} at delta={DELTA}")

# By loss distributions or by Rényi divergences: both are upper bounds, so the smaller one holds.
for accountant in (PLDAccountant(value_discretization_interval=1e-3), RdpAccountant()):
    composed = accountant.compose(event(plan)).compose(counts)
    name = type(accountant).__name__
    print(f"Together, {name}: epsilon={composed.get_epsilon(2e-6):.3f} at delta=2e-6")

print(f"Added up by hand:     epsilon={EPSILON + gaussian:.3f} at delta=2e-6")
