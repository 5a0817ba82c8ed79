# SPDX-License-Identifier: Apache-2.0
# Methods that let a setting choose their graph network: every one of them runs with every network that it offers, and
# another network gives other scores.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# One line a method: its name, its tasks, and the networks that it offers.
"$CRUCIBLE" list algorithms --json >list.json || fail "list algorithms"
python3 - "$CRUCIBLE" list.json >offers <<'PYTHON' || fail "no list of backbones"
import json, subprocess, sys
for entry in json.load(open(sys.argv[2])):
    if entry["status"] != "ok":
        continue
    told = subprocess.run([sys.argv[1], "info", "algorithm/" + entry["name"], "--json"], check=True, capture_output=True)
    info = json.loads(told.stdout)
    for setting in info["params"]:
        if setting["key"] == "backbone" and "gcn" in setting["choices"]:
            print(entry["name"], "graphs" if "graphs" in info["tasks"] else "nodes", *setting["choices"])
PYTHON
for name in renode tam topoauc graphens graphsha dpgnn g2gnn solt-gnn imgkb topoimb datadec; do
    grep -q "^$name .* graphsage" offers || fail "$name does not offer graphsage"
done

while read -r name task choices; do
    dataset=csbm
    [ "$task" = nodes ] || dataset=graph-motifs
    {
        printf '[experiment]\nname = %s\nseeds = 0\nmetrics = auc-ovr\n[dataset %s]\n' "$name" "$dataset"
        printf '[split]\nscheme = stratified\n[monitor]\nepochs = 8\n[algorithm %s]\nhidden = 16\n' "$name"
        printf 'backbone = %s\n' "${choices// /, }"
    } >"$name.ini"
    "$CRUCIBLE" run "$name.ini" --db "$name.db" --json >"$name.json" 2>stderr || fail "$name: $(cat stderr)"
    grep '"event":"trial"' "$name.json" >trials
    [ "$(grep -c '"outcome":"ok"' trials)" = "$(wc -w <<<"$choices")" ] || fail "$name: $(cat trials)"
    [ "$(grep -o '"auc-ovr":[^,}]*' trials | sort -u | wc -l)" -gt 1 ] || fail "$name: all backbones score alike: $(cat trials)"
done <offers
