"""What holds for all tests: Hypothesis draws the same examples every time, and takes its time.

`pytest --hypothesis-profile=default` draws new ones.
"""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "certain",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("certain")
