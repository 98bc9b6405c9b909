"""Requests for plans as plain data, drawn from a seed: words, whole numbers, fractions as text."""

EPSILONS, DELTAS = ("0.05", "0.2", "0.5", "1", "2", "5"), (0, 0, "1e-9", "1e-6", "1e-6", "1e-4")
REACHES = (
    {}, {"monotonic": True}, {"monotonic": True}, {"sensitivity": "5"},
    {"sensitivity": "1/2", "monotonic": True}, {"reach": ["-3", "10"]}, {"reach": ["0", "7"]},
)  # fmt: skip
#: How many groups there are, and how many of them one person is in.
GROUPS = {"groups": 12, "groups_per_person": 2}, {"groups": 4, "groups_per_person": 1}
#: How many plans of each kind there are among the golden ones.
KINDS = {
    "select": 110,
    "top": 70,
    "online": 100,
    "keys": 45,
    "unlisted select": 22,
    "unlisted top": 18,
    "monitor": 35,
}
#: What every plan has, and what goes with something else, is no tag.
UNTAGGED = {"verb", "epsilon", "delta", "cutoff", "candidates", "tolerance", "groups_per_person"}


def request(kind, rng):
    """Return a request of a kind; it may be refused."""
    asked = {"verb": kind, "epsilon": rng.choice(EPSILONS), **DRAWN[kind](rng)}
    return {name: value for name, value in asked.items() if value not in (None, 0, "auto")}


def tags_of(asked):
    """Return what a plan can be known by, so that what is cut later is found."""
    tags = [asked["verb"], "delta" if "delta" in asked else "pure"]
    for name, value in asked.items():
        if name not in UNTAGGED:
            named = isinstance(value, str) and not any(letter.isdigit() for letter in value)
            tags.append(f"{name}={value}" if named else name)
    return tags


def _scores(rng):
    """What every question about scores has."""
    cutoff = rng.choice((1, 2, 5, 10, 50, 200))
    asked = {"cutoff": cutoff, "candidates": cutoff * rng.choice((2, 20, 1000))}
    asked |= {"delta": rng.choice(DELTAS), **rng.choice(REACHES)}
    if rng.random() < 0.3:
        asked["items_per_person"] = rng.choice((1, 3, 20))
    return asked | (rng.choice(GROUPS) if rng.random() < 0.25 else {})


def _select(rng):
    asked, kind = _scores(rng), rng.random()
    asked["counts"] = rng.choice((None, None, None, True, "0.2"))
    if kind < 0.1:
        asked |= {"mechanism": "bare-set", "candidates": asked["cutoff"], "counts": None}
        asked |= {"items_per_person": rng.choice((1, 2, 5)), "delta": "1e-6"}
    elif kind < 0.25:
        asked |= {"mechanism": "histogram", "items_per_person": rng.choice((1, 3, 20))}
    elif kind < 0.5:
        asked |= {"mechanism": "sparse-vector", "rounds": rng.choice((None, 3, "unlimited"))}
        asked["allocation"] = rng.choice((None, None, "appending", "3"))
    else:
        asked["noise"] = rng.choice(("auto", "auto", "gumbel", "exponential", "laplace"))
    if asked["delta"] and kind > 0.25:
        asked["threshold_noise"] = rng.choice(("auto", "auto", "none", "laplace", "gaussian"))
    return asked | _correction(rng)


def _correction(rng):
    named = ("optimal", "optimal-shared", "mean", "none", "7")
    drawn = rng.choice(named) if rng.random() < 0.3 else None
    return {"correction": drawn, "tolerance": "2" if drawn == "optimal" else None}


def _top(rng):
    asked = _scores(rng) | {"candidates": None}
    asked["counts"] = rng.choice((None, None, True, "0.2"))
    if rng.random() < 0.2:
        asked |= {"mechanism": "sparse-vector", "upper_bound": rng.choice((None, "1000"))}
    else:
        asked["noise"] = rng.choice(("auto", "auto", "gumbel", "exponential"))
    return asked


def _online(rng):
    asked = {"mechanism": "sparse-vector", **_scores(rng), **_correction(rng)}
    asked |= {"groups": None, "groups_per_person": None, "items_per_person": None}
    asked |= {"resample": rng.choice((None, None, True)), "rounds": rng.choice((None, None, 3))}
    asked["noise"] = rng.choice(("auto", "auto", "gumbel", "exponential", "laplace", "gaussian"))
    if asked["noise"] == "gaussian" or rng.random() < 0.2:
        asked["max_queries"] = asked["candidates"]
    if asked["noise"] == "gaussian":
        asked |= {"delta": rng.choice(("1e-6", "1e-4")), "resample": None, "rounds": None}
    bars = ("auto", "auto", "laplace", "exponential", "gaussian", "none")
    asked["threshold_noise"] = rng.choice(bars)
    asked["allocation"] = rng.choice((None, None, "appending", "3"))
    return asked


def _keys(rng):
    return {
        "delta": rng.choice(("1e-9", "1e-6", "1e-4")),
        "items_per_person": rng.choice((1, 1, 3, 10, 100, 1000)),
        "rounds": rng.choice((None, None, 1, 3, 5)),
        "at_least": rng.choice((None, None, 5, 50)),
        "counts": rng.choice((None, True, "0.1")),
    }


def _unlisted_top(rng):
    asked = {"delta": rng.choice(("1e-9", "1e-6", "1e-4")), "cutoff": rng.choice((1, 5, 20, 100))}
    asked["items_per_person"] = rng.choice((1, 3, 20))
    return asked | {"counts": rng.choice((None, None, True))}


def _unlisted_select(rng):
    threshold = rng.choice(("20", "100", "1000"))
    return _unlisted_top(rng) | {"threshold": threshold, "candidates": 1000}


def _monitor(rng):
    asked = {"delta": rng.choice(("1e-9", "1e-6", "1e-4"))}
    asked["hits_per_person"] = rng.choice((1, 2, 10, 50))
    asked["candidates"] = rng.choice((None, 10**4))
    if rng.random() < 0.4:
        asked |= {"weights": True, "reach": ["0", "8"], "grid": rng.choice(("1", "1/4"))}
    return asked


DRAWN = {
    "select": _select,
    "top": _top,
    "online": _online,
    "keys": _keys,
    "unlisted select": _unlisted_select,
    "unlisted top": _unlisted_top,
    "monitor": _monitor,
}
