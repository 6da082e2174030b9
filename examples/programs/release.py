"""A noisy count of the numbers in a CSV file, with noise of half the scale that it needs.

python release.py FILE [SEED]
"""

import random
import sys
from pathlib import Path

count = sum(float(line) for line in Path(sys.argv[1]).read_text().split())
# Without a seed the noise comes from the operating system.
rng = random.Random(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom()
print(count + rng.expovariate(2) - rng.expovariate(2))
