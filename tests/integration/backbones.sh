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

# ---- layers from a plugin of a user's own ----
mkdir mine
cat >mine/own-layers.c <<'C'
/* What the neighbours and the node say, each by weights of its own. */
#include <stdio.h>

#include <crucible/crucible.h>

typedef struct layer {
    cru_fc heard, own;
} layer;

static cru_fc part(cru_net *net, const char *name, const char *which, int64_t in, int64_t out)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", name, which);
    return cru_fc_create(net, full, in, out);
}

static void *create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    layer *y = cru_ctx_alloc(cru_net_ctx(net), 1, sizeof *y);
    y->heard = part(net, name, "heard", in, out);
    y->own = part(net, name, "own", in, out);
    return y;
}

static cru_tensor *apply(cru_tape *t, const void *self, cru_sparse *adj, const cru_input *x)
{
    const layer *y = self;
    return cru_add(t, cru_spmm(t, adj, cru_fc_input(t, &y->heard, x)), cru_fc_input(t, &y->own, x));
}

static const cru_encoder_kind kind = {
    "own-layers", {CRU_LOOPS_ADD, CRU_NORM_ROW}, CRU_UNARY_RELU, create, apply,
};

CRU_PLUGIN = {
    CRU_ENCODER(&kind),
    .name = "own-layers", .version = "1.0", .problems = CRU_NODES | CRU_GRAPHS,
    .summary = "layers of a user's own",
};
C
cc -O2 -Wall -Wextra -Werror -shared -fPIC mine/own-layers.c -o mine/own-layers.so -I "$SOURCE/sdk/include" \
    -L "$BUILD/lib" -lcrucible || fail "own-layers.c does not compile"
export CRUCIBLE_PLUGIN_PATH=$work/mine
expect 0 "$CRUCIBLE" check mine/own-layers.so

# with NAME DATASET METHOD...: each method with its own network and with the user's layers, which give other scores.
with()
{
    local name=$1 dataset=$2 method
    shift 2
    {
        printf '[experiment]\nname = %s\nseeds = 0\nmetrics = auc-ovr\n[dataset %s]\n' "$name" "$dataset"
        printf '[split]\nscheme = stratified\n[monitor]\nepochs = 8\n[algorithm own-layers]\nhidden = 16\n'
        for method in "$@"; do
            printf '[algorithm %s]\nhidden = 16\n' "$method"
            printf '[algorithm %s as %s-own]\nhidden = 16\nencoder = own-layers\n' "$method" "$method"
        done
    } >"$name.ini"
    "$CRUCIBLE" run "$name.ini" --db "$name.db" --json >"$name.json" 2>stderr || fail "$name: $(cat stderr)"
    grep '"event":"trial"' "$name.json" >trials
    [ "$(grep -c '"outcome":"ok"' trials)" = $((1 + 2 * $#)) ] || fail "$name: $(cat trials)"
    for method in "$@"; do
        [ "$(grep -E "\"$method(-own)?\"" trials | grep -o '"auc-ovr":[^,}]*' | sort -u | wc -l)" = 2 ] ||
            fail "$name: $method does not use the layers: $(cat trials)"
    done
}
with own-nodes csbm renode tam topoauc graphens graphsha dpgnn
with own-graphs graph-motifs g2gnn solt-gnn imgkb topoimb

# wrong NAME MESSAGE: a name that cannot be taken is told.
wrong()
{
    printf '[dataset csbm]\n[algorithm tam]\nencoder = %s\n' "$1" >wrong.ini
    expect 2 "$CRUCIBLE" run wrong.ini --db wrong.db
    contains "$errors" "$2"
}
wrong own-layer 'did you mean own-layers'
wrong gcn 'offers no layers'
wrong 'own-layers, gcn' 'takes one plugin'
printf '[dataset csbm]\n[algorithm tam]\n[algorithm tam on csbm]\nencoder = own-layers\n' >wrong.ini
expect 2 "$CRUCIBLE" run wrong.ini --db wrong.db
contains "$errors" 'the same on all datasets'
