"""Known-broken mechanisms, named by their fault, with inputs that expose them.

They are the controls of the audit: an auditor that misses one of them is too weak.
"""

from __future__ import annotations

from overbar.audit.broken.key_faults import KEY_FAULTS
from overbar.audit.broken.leaks import LEAKS
from overbar.audit.broken.published import PUBLISHED
from overbar.audit.broken.rankings import RANKINGS
from overbar.audit.broken.wrong_noise import NOISES
from overbar.audit.checks import Check

#: All of them.
BROKEN: tuple[Check, ...] = (*PUBLISHED, *NOISES, *LEAKS, *RANKINGS, *KEY_FAULTS)
