"""A packed file that is damaged: refused in words, wherever in it the damage is."""

import bz2
import gzip
import lzma
import random

import pytest

from tests.frozen import seam

ASK = ["--item=what", "--person=who", "--catalogue=x0,x1", "--cutoff=1", "--epsilon=1"]
TABLE = b"who,what\n" + b"".join(b"p%d,x%d\n" % (n * 7919, n % 2) for n in range(400))


@pytest.mark.parametrize(("ending", "module"), [("gz", gzip), ("bz2", bz2), ("xz", lzma)])
def test_damage_is_refused_in_words(tmp_path, ending, module):
    path, chance, told = tmp_path / f"t.csv.{ending}", random.Random(1), set()
    whole = module.compress(TABLE)
    path.write_bytes(whole)
    assert seam.command("top", path, *ASK).exit_code == 0
    for _ in range(12):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole) // 4, len(whole) - 40)] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        refusal = seam.command("top", path, *ASK)
        told.add((refusal.exit_code, refusal.stdout, "cannot be read" in refusal.stderr))
    assert told == {(2, "", True)}
