"""What studies compute: frozen dataclasses from conditions to a table.

simulated       one point of a figure: a method on a dataset, simulated and measured
sweeps          selections by budget, traverses, tolerance, threshold, resampling
overview        what is compared: datasets and their scores, methods, splits of the budget
theory          what needs no simulation: accuracy, variance, laws, success
corrections     correction terms: printed, exact, numeric
extensions      ours: what race accounting gains, and what a run costs
errata_numbers  what the paper prints, and what was measured
counterexample  the run that shows that Rényi costs of positives do not add up
noise_pairs     the noises of one comparison, as each method of the paper scales them
"""
