"""From what a user wants (ε, δ, cutoff) to a plan that delivers it.

plans               calibrate, calibrate_top: the two ways to ask for a plan
plan_parameters     a plan that was given, or the parameters that ask for one
request             what was asked, checked; combinations nothing is proved about
wanted_correction   what is added to the threshold, as it was asked for
auto                which noises, where that was left open
pure_noises         scales for δ = 0: the budget is split exactly
approximate_noises  scales for δ > 0: the largest that each theorem allows
counts              the noise of counts beside labels, and what it leaves to the labels
allocation          how a budget is split between the threshold and the queries
"""

from __future__ import annotations

from overbar.calibration.calibrate import calibrate, calibrate_top

__all__ = ["calibrate", "calibrate_top"]
