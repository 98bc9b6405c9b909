"""How noise decides: chances to be found, before any data is touched, and the laws behind them.

Internal files::

    chances     how likely a score comes out that lies so far above or below
    detection   how high a score must be to be found, and which ε that takes
    difference  the law of query noise minus threshold noise, in closed form, by quadrature or FFT
    success     the chance that a whole run labels everything right, and bounds on its tolerance
    correction  what is added to the threshold for it
    margin      how far apart two candidates must be to be told apart
    interval    intervals around counts that came out, and around noisy values
"""

from __future__ import annotations

from overbar.accuracy.chances import Chances, chances
from overbar.accuracy.detection import Detection, detection, epsilon_for, margin_for

__all__ = ["Chances", "Detection", "chances", "detection", "epsilon_for", "margin_for"]
