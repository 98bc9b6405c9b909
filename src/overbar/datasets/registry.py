"""Which datasets are known: where they live, what they hold, how they are written.

Records and items are those of the files; where the paper prints another number, ``note`` says so.
Checksums are of the decompressed content, so a copy counts whichever way it was compressed.
"""

from __future__ import annotations

from dataclasses import dataclass

from overbar import _check


@dataclass(frozen=True)
class SourceFile:
    """One file: the names it goes by (the first is its own), its checksum and its address."""

    names: tuple[str, ...]
    checksum: str
    url: str | None = None


@dataclass(frozen=True)
class DatasetEntry:
    """What is known about one dataset.

    Attributes
    ----------
    name, title
        What to load it by, and what a figure calls it.
    kind
        ``"synthetic"``, ``"real"``, or ``"prefix"`` for the first records of a real one.
    in_paper
        Whether the paper evaluates on it.
    records, items, threshold, cutoff
        What its files hold, and the public numbers to use; ``records`` is None for assigned scores.
    paper_records
        The records the paper prints.
    form
        How its files are written, see
        :func:`overbar.datasets.supports.count_supports`; None for scores made here.
    home, licence, citation, note
        For people. ``note`` says where the paper and the files disagree.
    obtain
        What to do where there is no address to download from.
    """

    name: str
    title: str
    kind: str
    items: int
    threshold: int
    citation: str
    in_paper: bool = True
    cutoff: int = 50
    home: str = ""
    licence: str = "none needed"
    records: int | None = None
    paper_records: int | None = None
    form: str | None = None
    sources: tuple[SourceFile, ...] = ()
    obtain: str = ""
    note: str = ""


FIMI = "http://fimi.uantwerpen.be/data/"
LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"
KDD_CUP = "https://www.kdd.org/kdd-cup/view/kdd-cup-2000"
ZHENG = (
    "Zheng, Kohavi, Mason, Real world performance of association rule algorithms, KDD 2001; "
    "Kohavi, Brodley, Frasca, Mason, Zheng, KDD-Cup 2000 organizers' report: peeling the onion, "
    "SIGKDD Explorations 2(2), 2000"
)
BLUE_MARTINI = (
    "terms of the KDD Cup 2000: not to be shared; a work that uses it thanks Blue Martini Software"
)
BODON = "Bodon, click-stream data of a Hungarian news portal, FIMI repository, 2003"
NO_LICENCE = "none stated; published for research on frequent itemsets"

ENTRIES: tuple[DatasetEntry, ...] = (
    DatasetEntry(
        name="binary",
        title="Binary",
        kind="synthetic",
        items=10_000,
        threshold=500,
        citation="assigned scores: 50 items of 1,000, the others 0",
    ),
    DatasetEntry(
        name="zipf",
        title="Zipf",
        kind="synthetic",
        items=10_000,
        threshold=200,
        citation="assigned scores: 10,000/i for item i = 1, 2, ...",
        note="item 50 has the threshold as its score: 50 items reach it, 49 exceed it",
    ),
    DatasetEntry(
        name="t40i10d100k",
        title="T40I10D100K",
        kind="synthetic",
        records=100_000,
        paper_records=100_000,
        items=942,
        threshold=11_850,
        home=FIMI,
        licence=NO_LICENCE,
        citation="Agrawal, Srikant, Fast algorithms for mining association rules, VLDB 1994",
        form="fimi",
        sources=(
            SourceFile(
                ("T40I10D100K.dat",),
                "sha256:9c3c95de0c2cc08111978354fe159a3c5c2bd48c83ec7527490e5b216db52ed4",
                FIMI + "T40I10D100K.dat",
            ),
        ),
        note="the threshold passes 49 items, one fewer than the cutoff",
    ),
    DatasetEntry(
        name="bms-pos",
        title="BMS-POS",
        kind="real",
        records=515_597,
        paper_records=515_597,
        items=1_657,
        threshold=13_600,
        home=KDD_CUP,
        licence=BLUE_MARTINI,
        citation=ZHENG,
        form="pairs",
        sources=(SourceFile(("BMS-POS.dat",), "sha1:b9fa6e98dbd3088bc76662660b44ed62d80564d5"),),
        obtain="accept its terms, take assoc/BMS-POS.dat.gz out of KDDCup2000.zip",
    ),
    DatasetEntry(
        name="kosarak",
        title="Kosarak",
        kind="real",
        records=990_002,
        paper_records=990_002,
        items=41_270,
        threshold=10_500,
        home=FIMI,
        licence=NO_LICENCE,
        citation=BODON,
        form="fimi",
        sources=(
            SourceFile(
                ("kosarak.dat",),
                "sha256:b7855ba155567d52390aa2a9eb09bb91ca27b5c737d358010501038f42d13dcf",
                FIMI + "kosarak.dat",
            ),
        ),
        note="some transactions repeat an item; it counts once",
    ),
    DatasetEntry(
        name="adult",
        title="Adult",
        kind="real",
        records=48_842,
        paper_records=48_843,
        items=123,
        threshold=200,
        cutoff=5,
        home=LIBSVM + ".html#a9a",
        licence="CC BY 4.0",
        citation="Becker, Kohavi, Adult, UCI Machine Learning Repository, 1996 (binarised: LIBSVM)",
        form="libsvm",
        sources=(
            SourceFile(
                ("a9a",),
                "sha256:f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",
                LIBSVM + "/a9a",
            ),
            SourceFile(
                ("a9a.t",),
                "sha256:1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9",
                LIBSVM + "/a9a.t",
            ),
        ),
        note="the paper prints 48,843 records, the files hold 48,842; the threshold passes 81",
    ),
    DatasetEntry(
        name="kosarak-100k",
        title="kosarak-100k",
        kind="prefix",
        in_paper=False,
        records=100_000,
        items=23_496,
        threshold=1_060,
        home=FIMI,
        licence=NO_LICENCE,
        citation=BODON,
        form="fimi",
        sources=(
            SourceFile(
                ("kosarak-first100k.dat", "kosarak-100k.dat"),
                "sha256:6b930dd7aa91c2cb75f7c6f0c2735b4b416fc5fdb8604a52118e846578324dff",
            ),
        ),
        obtain="take the first 100,000 lines of kosarak.dat, without the newline of the last",
        note="the first 100,000 records of Kosarak, with its threshold scaled: not Kosarak",
    ),
    DatasetEntry(
        name="bms-pos-100k",
        title="bms-pos-100k",
        kind="prefix",
        in_paper=False,
        records=100_000,
        items=1_350,
        threshold=2_742,
        home=KDD_CUP,
        licence=BLUE_MARTINI,
        citation=ZHENG,
        form="comma",
        sources=(
            SourceFile(
                ("bms-pos-first100k.csv", "bms-pos-100k.csv"),
                "sha256:a7b766b40e13fcab66c8d184032b207f1856e058b04101a5ddef5ac4e36d2ea2",
            ),
        ),
        obtain="take the first 100,000 transactions, one to a line, each id followed by a comma",
        note="the first 100,000 records of BMS-POS, with a threshold of its own: not BMS-POS",
    ),
)


def known() -> tuple[DatasetEntry, ...]:
    """Return every dataset of the registry, the paper's six first.

    Returns
    -------
    tuple of DatasetEntry
        All of them.
    """
    return ENTRIES


def entry(name: str) -> DatasetEntry:
    """Look a dataset up by its name; capital letters do not matter.

    Parameters
    ----------
    name : str
        Its name.

    Returns
    -------
    DatasetEntry
        What is known about it.
    """
    by_name = {one.name: one for one in ENTRIES}
    folded = name.casefold() if isinstance(name, str) else name
    return by_name[_check.choice("name", folded, by_name)]
