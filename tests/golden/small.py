"""Small runs whose laws are enumerated, and points of studies, as plain data drawn from a seed."""

#: How many laws of each kind there are among the golden ones.
LAWS = {"top": 45, "select": 40, "in turn": 35, "online": 55, "keys": 25}
#: The threshold, which grid steps of scores are compared with.
LEVEL = "3"
#: Who has one key adds so much to its weight.
WEIGHT_OF_ONE = 1 << 24
RUNS, SEED = 400, 20261119
#: Scores, with a threshold that so many are above: the cutoff.
SHAPES = (
    (["line", 400, 4000, 10], "3755", 25),
    (["curve", 1000, 20_000], "380", 50),
    (["step", 1000, 20, 400, 300], "350", 20),
)
METHODS = (
    *("SVT-Exp (optimal)", "SVT-Exp (mean)", "SVT-Exp (no)", "SVT-Gum", "SVT-Lap", "SVT-Gau"),
    *("SVT-Gum (optimal)", "SVT-Lap (optimal)", "appending", "race-accounted"),
    *("peeling", "permute-and-flip"),
)


def law_entry(kind, rng):
    """Return what a law is of: a run by all of its numbers, which nobody had to calibrate."""
    data, run, more = DRAWN[kind](rng)
    tags = [kind, run["kind"], *more]
    if "query_noise" in run:
        tags.append(run["query_noise"]["name"])
        bar = run.get("bar")
        tags.append(f"bar={bar['noise']['name'] if bar and bar['noise'] else 'none'}")
    return {"tags": list(dict.fromkeys(tags)), "run": run, "scores": data, "level": LEVEL}


def _noise(rng, *names):
    return {"name": rng.choice(names), "scale": rng.choice(("1/2", "1", "3/2", "2"))}


def _bar(noise, correction="0"):
    return {"noise": noise, "correction": correction, "above_all": False, "upper_bound": None}


def _run(kind, rng, query, bar, **more):
    cutoff, reach = rng.choice((1, 2)), {"low": "0", "high": "1"}
    run = {"kind": kind, "query_noise": query, "bar": bar, "cutoff": cutoff, "reach": reach}
    return {**run, "grid": "1", "items_per_person": None, **more}


def _batch(rng, size):
    return dict(zip("abcd", _list(rng, size), strict=False))


def _list(rng, size):
    return [rng.randrange(7) for _ in range(size)]


def _top(rng):
    if rng.random() < 0.3:
        more = {"items_per_person": rng.choice((1, 2)), "values": True}
        query = _noise(rng, "laplace", "gaussian")
        return _batch(rng, 2), _run("histogram", rng, query, None, **more), []
    query = _noise(rng, "exponential", "gumbel")
    return _batch(rng, 3), _run("ranked", rng, query, None, shared=None), []


def _select(rng):
    size, correction = 2, rng.choice(("0", "1", "2"))
    if rng.random() < 0.3:
        more = {"items_per_person": rng.choice((1, 2)), "values": True}
        query = _noise(rng, "laplace", "gaussian")
        return _batch(rng, 2), _run("histogram", rng, query, _bar(None, correction), **more), []
    query = _noise(rng, "exponential", "gumbel")
    noise = _noise(rng, "exponential", "laplace", "gaussian") if rng.random() < 0.8 else None
    size = 4 if query["name"] == "gumbel" else 2
    return _batch(rng, size), _run("ranked", rng, query, _bar(noise, correction), shared=None), []


def _in_turn(rng, data, noises, **repeats):
    bar = _noise(rng, "exponential", "laplace", "gaussian") if rng.random() < 0.8 else None
    own = {"rounds": 1, "resample": False, "max_queries": None, **repeats}
    more = {"repeats": own, "order": "random"}
    tags = [f"rounds={own['rounds'] or 'unlimited'}"]
    tags += ["resample"] * own["resample"] + ["max_queries"] * bool(own["max_queries"])
    query, over = _noise(rng, *noises), _bar(bar, rng.choice(("0", "1", "2")))
    return data, _run("sparse-vector", rng, query, over, **more), tags


def _rounds(rng):
    noises = ("exponential", "gumbel", "laplace")
    return _in_turn(rng, _batch(rng, 3), noises, rounds=rng.choice((1, 2, 3, None)))


def _online(rng):
    noises = ("exponential", "gumbel", "laplace", "gaussian")
    limit, resample = rng.choice((None, None, 3)), rng.random() < 0.4
    return _in_turn(rng, _list(rng, 4), noises, max_queries=limit, resample=resample)


def _keys(rng):
    table = {}
    for person in ("ann", "bob", "cid", "dan")[: rng.choice((2, 3, 4))]:
        table[person] = "".join(key for key in "abc" if rng.random() < 0.6) or "a"
    shared = {"at_least": rng.choice((1, 1, 2)), "count_noise": None}
    if rng.random() < 0.3:
        own = {"epsilon": rng.choice(("1", "2")), "delta": rng.choice(("1/10", "1/4"))}
        return (
            {person: keys[0] for person, keys in table.items()},
            {"kind": "one-key", **own, **shared},
            [],
        )
    rounds = [
        {"sigma": rng.choice(("1/2", "1", "2")), "bar": rng.choice((1, 2, 3)) * WEIGHT_OF_ONE}
        for _ in range(rng.choice((1, 2)))
    ]
    own = {"items_per_person": rng.choice((1, 2, 3)), "rounds": rounds, "weights": []}
    return table, {"kind": "set-union", **own, **shared}, []


DRAWN = {"top": _top, "select": _select, "in turn": _rounds, "online": _online, "keys": _keys}


def study_entries():
    """Return what is asked of all studies."""
    found = []
    for shape, threshold, cutoff in SHAPES:
        shared = {"cutoff": cutoff, "monotonic": True, "candidates": shape[1]}
        for epsilon in ("0.1", "0.5", "2"):
            for delta in ({}, {"delta": "1e-6"}):
                asked = {"verb": "select", "epsilon": epsilon, **shared, **delta}
                top = {name: value for name, value in asked.items() if name != "candidates"}
                found += [_study(one, shape, threshold) for one in (asked, top | {"verb": "top"})]
    for method in METHODS:
        for shape, threshold, cutoff in SHAPES[:2]:
            shared = {"cutoff": cutoff, "candidates": shape[1], "upper_bound": "25000"}
            asked = {"verb": "method", "method": method, "epsilon": "0.5", "delta": "1e-6"}
            found.append(_study({**asked, **shared}, shape, threshold))
    return found


def _study(asked, shape, threshold):
    tags = [asked.get("method", asked["verb"]), shape[0]]
    return {"tags": tags, "ask": asked, "shape": shape, "threshold": threshold}
