#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What tools/bench --scaling rests on, without timing anything: graphs with both directions, loops and each edge once, and
# the figure of a table.
. "$(dirname "$0")/lib.sh"

/usr/bin/python3 -c 'import numpy' 2>/dev/null || { echo "SKIP bench-scaling: python3 has no numpy"; exit 0; }

# A triangle with one edge named twice and a loop: three edges, and a row for each node.
expect 0 /usr/bin/python3 - "$SOURCE" "$work/graph" <<'END'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/bench/scripts")
import numpy
import scaling

first, second = numpy.array([0, 1, 1, 2, 2]), numpy.array([1, 0, 2, 0, 2])
assert scaling.write_graph(sys.argv[2], 4, first, second) == 3
whole = open(sys.argv[2], "rb").read()
assert numpy.frombuffer(whole[:16], dtype=numpy.int64).tolist() == [4, 10]
assert numpy.frombuffer(whole[16:56], dtype=numpy.int64).tolist() == [0, 3, 6, 9, 10]
assert numpy.frombuffer(whole[56:], dtype=numpy.int32).tolist() == [0, 1, 2, 0, 1, 2, 0, 1, 2, 3]
END

# Ten times the edges at ten times the cost lie on the dashed line.
cat >"$work/table.md" <<'END'
| graph | nodes | edges | seconds | ns an edge | of the smallest |
|---|---:|---:|---:|---:|---:|
| random | 8000 | 100000 | 0.01000 | 100.0 | 1.00 |
| random | 80000 | 1000000 | 0.10000 | 100.0 | 1.00 |
| cnr-2000 | 300000 | 1000000 | 0.01000 | 10.0 | 0.10 |
END
expect 0 /usr/bin/python3 "$SOURCE/tests/bench/scripts/scaling.py" --figure "$work/table.md" --svg "$work/figure.svg"
expect 0 /usr/bin/python3 - "$work/figure.svg" <<'END'
import re
import sys
import xml.etree.ElementTree

text = open(sys.argv[1]).read()
xml.etree.ElementTree.fromstring(text)
points = [tuple(map(float, found)) for found in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', text)]
line = [float(word) for word in re.search(r'd="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)" stroke="#999"', text).groups()]
on_line = lambda x, y: abs((y - line[1]) * (line[2] - line[0]) - (x - line[0]) * (line[3] - line[1])) < 100
assert len(points) == 3 and on_line(*points[0]) and on_line(*points[1]) and not on_line(*points[2]), (points, line)
END
contains "$(cat "$work/figure.svg")" ">cnr-2000<"
