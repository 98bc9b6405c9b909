"""What studies compute: from conditions to a table; keyword parameters or fields say of what.

sweep           selections over a grid: methods, datasets, budgets, traverses, ...
overview        what is compared: datasets, methods, and what race accounting gains
formulas        what needs no simulation: accuracy, variance, laws, success, splits, noises
corrections     correction terms: printed, exact, numeric
errata_numbers  what the paper prints, and what was measured
"""
