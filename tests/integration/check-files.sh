# SPDX-License-Identifier: Apache-2.0
# crucible check on a dataset plugin that reads files.
. "$(dirname "$0")/lib.sh"
csv=$(find "$BUILD" -path '*plugins/datasets/csv.so')
cd "$SOURCE/datasets/examples/own-graph" || exit 1
expect 0 "$CRUCIBLE" check "$csv"
contains "$out" "name some with --file ROLE=PATH"
expect 0 "$CRUCIBLE" check "$csv" --file nodes=nodes.csv --file edges=edges.csv --set id=person --set label=circle
contains "$out" "pass  files, read twice"
contains "$out" "pass  files, cut and changed"
contains "$out" "pass  files, one left out"
expect 1 "$CRUCIBLE" check "$csv" --file nodes=nodes.csv
contains "$out" "FAIL  files, read twice"
expect 2 "$CRUCIBLE" check "$csv" --file nodes.csv
expect 2 "$CRUCIBLE" check "$csv" --file nodes=nowhere.csv
expect 2 "$CRUCIBLE" check "$csv" --set id=person
