"""`karat score` from a folder of shards, against a bare loop that decodes the same shards in the same run.

    python benchmarks/speed/shards.py [--scale X] [--folder DIR]

A million judgements (10 x as many with --scale 10): 100 runs, 50 nugs per query and as many queries as it takes, as
JSONL, JSONL.gz and Parquet. For each: processor seconds of the bare loop; of reading and counting (until the tables of
four measures are there), as a share of the bare loop's rate; of `karat score` from start to end, whose intervals and
tie groups cost the same however many nugs there are; and the largest memory. Exit 1 where a limit is missed. --folder
keeps the shards there for the next time.
"""

from __future__ import annotations

import argparse
import gzip
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from karat import __version__
from karat.formats.karat.manifest import MANIFEST, Manifest, Shard, file_hash, read_manifest
from karat.formats.outputs.writing import write
from karat.model import Judgement, Nug
from measuring import Cost, cost_of

RUNS, NUGS = 100, 50
MEMORY_LIMIT = 1.5e9
LIMITS = {"jsonl": 0.5, "jsonl.gz": 0.5, "parquet": 0.5}
"""Reading and counting, as a share of the rate of the bare loop. Karat writes the last two; plain JSONL has nothing to
unpack, so that its bare loop does little but decode."""

BARE = """
import gzip, sys
from pathlib import Path
from karat.model.codec import fast_decoder
decode = fast_decoder()
for path in sorted(Path(sys.argv[1]).glob("part-*")):
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        for line in file:
            decode(line)
"""
BARE_PARQUET = """
import sys
from pathlib import Path
import pyarrow.parquet as pq
from karat.model import Judgement
names = ["query_id", "run_id", "nug_id", "degree", "judge", "status"]
for path in sorted(Path(sys.argv[1]).glob("part-*")):
    for batch in pq.ParquetFile(path).iter_batches(columns=names):
        for row in zip(*(column.to_pylist() for column in batch.columns)):
            Judgement(query_id=row[0], run_id=row[1], nug_id=row[2], degree=row[3], judge=row[4], status=row[5])
"""
COUNTED = """
import sys
from karat.evaluate.tables.tabulating import tabulated
from karat.formats import load
tabulated(load(*sys.argv[1:]))
"""


def judgements(queries: int) -> Iterator[Judgement]:
    """Good and bad runs on easy and hard queries, with every degree."""
    draw = random.Random(1)
    skill = [draw.random() for _ in range(RUNS)]
    for query in range(queries):
        ease = draw.random()
        for run in range(RUNS):
            share = (skill[run] + ease) / 2
            for nug in range(NUGS):
                drawn = draw.random()
                degree = 1.0 if drawn < 0.7 * share else 0.5 if drawn < share else 0.0
                yield Judgement(
                    query_id=f"q{query}", run_id=f"run-{run}", nug_id=f"n{nug}", degree=degree, judge="person"
                )


def make(folder: Path, queries: int) -> None:
    """The key, and the same judgements in three folders."""
    nugs = (
        Nug(
            query_id=f"q{query}", nug_id=f"n{nug}", descriptions=(f"fact {nug} about {query}",),
            importance="vital" if nug % 2 else "okay",
        )
        for query in range(queries)
        for nug in range(NUGS)
    )  # fmt: skip
    write(nugs, folder / "key.jsonl")
    write(judgements(queries), f"{folder}/jsonl.gz/")
    write(judgements(queries), f"{folder}/parquet/", format="parquet")
    unpacked = folder / "jsonl"
    unpacked.mkdir()
    shards = []
    for shard in read_manifest(folder / "jsonl.gz").shards:
        path = unpacked / shard.file.removesuffix(".gz")
        path.write_bytes(gzip.decompress((folder / "jsonl.gz" / shard.file).read_bytes()))
        shards.append(
            Shard(
                file=path.name, records=shard.records, bytes=path.stat().st_size, sha256=file_hash(path),
                kinds=shard.kinds,
            )
        )  # fmt: skip
    records = sum(shard.records for shard in shards)
    manifest = Manifest(
        karat=__version__, format="karat", records=records, kinds={"judgement": records}, shards=tuple(shards)
    )
    (unpacked / MANIFEST).write_bytes(msgspec.json.encode(manifest))


def best(command: list[str], times: int = 2) -> Cost:
    costs = [cost_of(command, accept=(0,)) for _ in range(times)]
    return Cost(*map(min, zip(*costs, strict=True)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    queries = max(2, round(asked.scale * 1_000_000 / (RUNS * NUGS)))
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        if not (folder / "jsonl" / MANIFEST).exists():
            make(folder, queries)
        key = str(folder / "key.jsonl")
        print(f"{queries * RUNS * NUGS:,} judgements: {RUNS} runs, {queries:,} queries, {NUGS} nugs each")
        for kind in ("jsonl", "jsonl.gz", "parquet"):
            place = str(folder / kind)
            bare = best([sys.executable, "-c", BARE_PARQUET if kind == "parquet" else BARE, place])
            counted = best([sys.executable, "-c", COUNTED, key, place])
            whole = best([sys.executable, "-m", "karat", "score", key, place], times=1)
            ratio = bare.processor / counted.processor
            good = ratio >= LIMITS[kind] and max(whole.memory, counted.memory) < MEMORY_LIMIT
            failed = failed or not good
            print(
                f"  {kind:9} bare loop {bare.processor:6.1f} s; reading and counting {counted.processor:6.1f} s, "
                f"{ratio:.2f} of its rate (at least {LIMITS[kind]}), {counted.memory / 1e6:5.0f} MB; "
                f"karat score {whole.processor:6.1f} s, {whole.memory / 1e6:5.0f} MB (under {MEMORY_LIMIT / 1e6:.0f})"
                f"{'' if good else '   MISSED'}"
            )
    return int(failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.cmd} ended with {error.returncode}")
