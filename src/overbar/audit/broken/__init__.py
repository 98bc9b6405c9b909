"""Known-broken mechanisms, named by their fault, with inputs that expose them.

They are the controls of the audit: an auditor that misses one of them is too weak.
"""

from __future__ import annotations

from overbar.audit.broken.factory import Broken
from overbar.audit.broken.key_faults import KEY_FAULTS
from overbar.audit.broken.leaks import LEAKS
from overbar.audit.broken.published import PUBLISHED
from overbar.audit.broken.rankings import RANKINGS
from overbar.audit.broken.wrong_noise import NOISES

__all__ = ["BROKEN", "Broken"]

#: All of them.
BROKEN: tuple[Broken, ...] = (*PUBLISHED, *NOISES, *LEAKS, *RANKINGS, *KEY_FAULTS)
