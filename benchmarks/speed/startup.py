"""`karat --help` against `python -c "import click"`, in turns in the same run; and what `import karat` pulls in.

python benchmarks/speed/startup.py
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys

from measuring import cost_of

LIMIT = 1.5
ROUNDS = 25
HEAVY = ("numpy", "scipy", "spacy", "rich", "pandas")


def main() -> int:
    karat = shutil.which("karat", path=str(sys.prefix) + "/bin") or shutil.which("karat")
    if karat is None:
        sys.exit("the karat command is not installed")
    ours, theirs = [], []
    for _ in range(ROUNDS):
        theirs.append(cost_of([sys.executable, "-c", "import click"]).seconds)
        ours.append(cost_of([karat, "--help"]).seconds)
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"karat --help takes {ratio:.2f} times as long as importing click (at most {LIMIT})")
    code = f"import sys, karat; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    pulled = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    print(f"import karat pulls in: {', '.join(pulled) or 'none of ' + ', '.join(HEAVY)}")
    return int(ratio > LIMIT or bool(pulled))


if __name__ == "__main__":
    sys.exit(main())
