"""Studies of what the paper leaves open, each with a rule in claims.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

from overbar_lab.paper.factors import Factors, worths
from overbar_lab.paper.features import Features
from overbar_lab.paper.formula_studies import COMPARED
from overbar_lab.paper.itemsets import Itemsets
from overbar_lab.paper.misplaced import Misplaced
from overbar_lab.paper.panels import Panels
from overbar_lab.paper.sizes import Sizes
from overbar_lab.paper.streams import Streams
from overbar_lab.paper.study import Study, Table
from overbar_lab.paper.sweep import Sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BUDGETS = ("0.02", "0.05", "0.1", "0.2", "0.5", "1")
THREE = ("zipf", "bms-pos", "t40i10d100k")
FOUR = ("binary", "zipf", "bms-pos", "t40i10d100k")
AGAIN = "queries asked again until c are found"
WATCHED = Streams(BUDGETS)
STREAM = (
    "One question an hour, ten events (500 persons; 100 in quiet hours; threshold 300), each with "
    "four quiet hours for every hour of its own. c = 10, counts. After an alarm nobody asks for "
    "the length of an event. Requeue asks negatives again; a monitor (δ = 10⁻⁶, three alarms for "
    "each of 10,000 persons) never halts. "
)
WATCHING = "one question an hour, ten events; SVT halts after c = 10 alarms"


def _draw_worths(table: Table) -> Figure:
    return Panels("worth", heading="over all other choices and four datasets")(worths(table))


OPEN = (
    Study(
        "stream-delay",
        "Alarms on a stream: how late they come",
        STREAM + "Drawn is the mean delay as a share of the event; an event that is never found "
        "counts as one.",
        WATCHED,
        Panels("delay", heading=WATCHING),
        simulated=True,
    ),
    Study(
        "stream-false-alarms",
        "Alarms on a stream: how many are false",
        STREAM + "Drawn are alarms that found no new event. A run of sparse vector halts after ten "
        "alarms, false ones included; a monitor goes on.",
        WATCHED,
        Panels("false_alarms", heading=WATCHING),
        simulated=True,
    ),
    *(
        Study(
            f"misplaced-{name}",
            f"A threshold that is off, {how}",
            "NCR of the top c where the threshold is too low or too high. “T found first” takes a "
            "tenth of ε for the level between ranks c and c + 1, by noisy distances on a public "
            "ladder; “top” has no threshold. Both are the same at every place.",
            Misplaced(THREE, ("1", "0.1", "0.1"), rounds, share=share),
            Panels("ncr", "off", heading=how),
            simulated=True,
        )
        for name, how, rounds, share in (
            ("once", "each query asked once", 1, 0.5),
            ("again", AGAIN, None, 2),
        )
    ),
    Study(
        "itemsets",
        "Frequent sets of items, level by level",
        "The 20 most frequent items, then pairs of these, then triples of these pairs, each level "
        "with a third of ε. F1 of all that was found against the same search without noise. (Of "
        "Adult the records of a9a.)",
        Itemsets(("bms-pos", "adult"), ("SVT-Exp (optimal)", "SVT-Lap", "peeling"), BUDGETS[:5]),
        Panels(
            "f1",
            heading="frequent sets of one, two and three items, 20 of each size with ε/3",
        ),
        simulated=True,
    ),
    Study(
        "general-queries",
        "NCR by privacy budget, general queries",
        "As ncr-by-budget, but one person may move some scores up and others down, so that every "
        "comparison needs twice the noise. Unlimited traverses.",
        Sweep(FOUR, COMPARED[:6], (*BUDGETS[1:], "2"), share=1.5, monotonic=False),
        Panels("ncr", heading="general queries, asked again until c are found"),
        simulated=True,
    ),
    Study(
        "ncr-by-cutoff",
        "NCR by how many are sought",
        "The paper has c = 50 almost everywhere. Here c goes from 5 to 200 at the same ε, with the "
        "threshold halfway between ranks c and c + 1. Unlimited traverses, monotonic queries.",
        Sizes(THREE, COMPARED[:6], ("0.5", "0.05", "0.05"), (5, 10, 20, 50, 100, 200)),
        Panels("ncr", "cutoff", heading=AGAIN),
        simulated=True,
    ),
    Study(
        "ncr-by-candidates",
        "NCR by how many candidates there are",
        "The 50 highest are sought among the 100 highest scores of a dataset, up to 100,000 with "
        "zeros for labels that nobody uses. Unlimited traverses, monotonic queries.",
        Sizes(
            THREE,
            COMPARED[:6],
            ("1", "0.1", "0.1"),
            candidates=(100, 1000, 10_000, 100_000),
            shares=(8, 2, 1, 0.3),
        ),
        Panels("ncr", "candidates", heading=AGAIN),
        simulated=True,
    ),
    Study(
        "what-each-choice-adds",
        "Noise, correction, asking again: what each adds",
        "All noises with all corrections, each query asked once or until c are found: the mean "
        "gain of changing one of these choices, over datasets (Binary, Zipf, BMS-POS, T40I10D100K) "
        "and all other choices. The table has every combination.",
        Factors(FOUR, BUDGETS),
        _draw_worths,
        simulated=True,
    ),
    Study(
        "feature-selection",
        "Features chosen in private: accuracy of the model",
        "Methods choose columns of Adult by their co-moment with the class (general queries, ε for "
        "the choice alone). A line is fitted to the chosen ones in a9a and judged on a9a.t. "
        "Whoever always names the larger class has 0.764. “select” may choose fewer.",
        Features(("SVT-Exp (optimal)", "SVT-Lap", "select", "top"), ("0.01", *BUDGETS[:5])),
        Panels("accuracy"),
        simulated=True,
    ),
)
