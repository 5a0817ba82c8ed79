#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times xgb-graph's neighbourhood features against XGBoost itself: tools/bench --trees [DATASET...]
# Without names: the anomaly datasets that are here (CRUCIBLE_MIRROR, or fetched before). BUILD names the build folder.
set -euo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
build=${BUILD:-$root/build/release}
[ -f "$build/CMakeCache.txt" ] || cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --target crucible-bench-trees crucible-cli >/dev/null

if [ $# = 0 ]; then
  mapfile -t known < <("$build/bin/crucible" list datasets --json |
    python3 -c 'import json, sys
for card in json.load(sys.stdin):
    if card["name"].endswith("-gad") and card["status"] == "present": print(card["name"])')
  set -- "${known[@]}"
fi
[ $# -gt 0 ] || { echo "bench: no anomaly dataset is here; set CRUCIBLE_MIRROR or crucible fetch one" >&2; exit 1; }
exec "$build/bin/crucible-bench-trees" "$@"
