"""Text like that of private notes: a gate asks whether a public model is enough for the next word.

Needs `pip install '.[accounting]'`. The method is that of Amin et al. (2024, arXiv:2407.12108v2),
with a small model made on the spot in the place of a large one. 20 texts are written at the same
time, each with the help of 300 guests of its own. At each word the gate looks how many of them
would go on otherwise than the public model. Only if these are many a word is drawn from what they
say, and paid for.
"""

import random
from collections import Counter

import numpy as np

import overbar
from overbar.integrations.dp_accounting import PLDAccountant, event

TEXTS, GUESTS, LONGEST = 20, 300, 12
PRIVATE_WORDS, DELTA = 8, "1e-6"  # of each text; a guest is in one text only

PUBLIC_TEXT = """the room was clean and the staff was friendly . the room was quiet and the bed was
soft . the breakfast was good and the staff was friendly . we would come again . the bed was soft
and the room was clean . the pool was nice and the view was nice . the staff was friendly ."""
#: What anybody may know: a list of words. A word that is not here cannot come out.
DICTIONARY = sorted(
    {*PUBLIC_TEXT.split(), *["lift", "broken", "cold", "since", "monday", "shower", "no", "towels"]}
)
#: What the guests of these weeks had to say, and how often. Nobody but they knew.
NOTES = {
    "the lift was broken since monday .": 5,
    "the breakfast was cold and the shower was cold .": 3,
    "no towels and the lift was broken .": 2,
    "the room was clean and the staff was friendly .": 2,
}


def next_words(text):
    """Return what follows each pair of words of a text."""
    words = ["", "", *text.split()]
    return {pair[:2]: pair[2] for pair in zip(words, words[1:], words[2:], strict=False)}


def public_model(words):
    """Return the word that most often follows the last one in public text."""
    public = ". " + PUBLIC_TEXT
    pairs = Counter(zip(public.split(), public.split()[1:], strict=False))
    last = words[-1] or "."
    return max(((count, word) for (before, word), count in pairs.items() if before == last),
               default=(0, "."))[1]  # fmt: skip


dice = random.Random(7)
written = [
    [next_words(note) for note in dice.choices(list(NOTES), list(NOTES.values()), k=GUESTS)]
    for _ in range(TEXTS)
]

# One guest more adds to the scores of the gate and to one vote for a word: hence monotonic.
gate_plan = overbar.plan(
    epsilon="0.8", delta=DELTA, cutoff=PRIVATE_WORDS, monotonic=True, candidates=LONGEST,
    mechanism="sparse-vector",
)  # fmt: skip
word_plan = overbar.plan(epsilon="0.06", cutoff=1, top=True, monotonic=True, noise="gumbel")
gate = overbar.SparseVectors(gate_plan, threshold=GUESTS // 6, runs=TEXTS, disjoint=True)

texts = [["", ""] for _ in range(TEXTS)]
shown = [""] * TEXTS
for _ in range(LONGEST):
    is_open = np.array([words[-1] != "." for words in texts])
    guesses = [public_model(words) for words in texts]
    votes = [
        Counter(note[tuple(words[-2:])] for note in notes if tuple(words[-2:]) in note)
        for notes, words in zip(written, texts, strict=True)
    ]
    scores = [count.total() - count[guess] for count, guess in zip(votes, guesses, strict=True)]
    if not is_open.any() or gate.halted.all():
        break
    private = gate.ask(scores, where=is_open)
    for text in np.flatnonzero(is_open):
        word = guesses[text]
        if private[text]:
            candidates = {word: votes[text][word] for word in DICTIONARY}
            (word,) = overbar.top(candidates, plan=word_plan).labels
        texts[text].append(word)
        shown[text] += f" {word.upper() if private[text] else word}"

print("Words in capitals were drawn from what guests have written; the others are public.\n")
for text, count in Counter(shown).most_common(6):
    print(f"{count:3} of {TEXTS}: {text}")

# What one guest is in: a run of the gate, and one draw for each of its positives. By loss
# distributions, and that holds whatever is asked in between.
accountant = PLDAccountant(value_discretization_interval=1e-3)
accountant.compose(event(gate_plan)).compose(event(word_plan), PRIVATE_WORDS)
print(f"\n{gate}")
print(f"For every guest: epsilon={accountant.get_epsilon(2 * float(DELTA)):.2f} at delta=2e-6")
