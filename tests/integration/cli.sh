# SPDX-License-Identifier: Apache-2.0
# list, info, version, doctor and check as a user meets them.
. "$(dirname "$0")/lib.sh"

# Help and mistakes.
expect 0 "$CRUCIBLE" --help
contains "$out" "list"
for verb in list info check doctor version; do
    expect 0 "$CRUCIBLE" $verb --help
    contains "$out" "Usage: crucible $verb"
    expect 0 "$CRUCIBLE" help $verb
    expect 2 "$CRUCIBLE" $verb --nonsense
    [ "$(wc -l <"$work/stderr")" = 1 ] || fail "$verb: the error is not one line"
    contains "$errors" "crucible: $verb: unknown option --nonsense"
done
expect 2 "$CRUCIBLE"
expect 2 "$CRUCIBLE" lisst
contains "$errors" "did you mean 'list'?"
expect 2 "$CRUCIBLE" list fruit
expect 2 "$CRUCIBLE" info

# A folder with two good plugins and one that aborts.
mkdir "$work/plugins"
cp "$BUILD/tests/plugins/"{good-algorithm,good-metric,load-abort}.so "$work/plugins"
export CRUCIBLE_PLUGIN_PATH=$work/plugins
expect 0 "$CRUCIBLE" list
contains "$out" "class frequencies with a little noise"
contains "$out" "load-abort.so: aborts while loading (SIGABRT)"
case "$out" in *$'\033'*) fail "colours in a pipe" ;; esac
expect 0 env TERM=xterm script -qec "$CRUCIBLE list" /dev/null
contains "$out" $'\033[1malgorithms'
expect 0 env TERM=xterm NO_COLOR=1 script -qec "$CRUCIBLE list" /dev/null
case "$out" in *$'\033'*) fail "colours despite NO_COLOR" ;; esac
expect 0 "$CRUCIBLE" list --paths
contains "$out" "$work/plugins/good-metric.so"
expect 0 "$CRUCIBLE" list metrics
case "$out" in *good-algorithm*) fail "an algorithm among the metrics" ;; esac
expect 0 "$CRUCIBLE" list --json
python3 - "$work" <<'PYTHON' || fail "list --json"
import json, sys
work = sys.argv[1]
entries = {e["path"]: e for e in json.load(open(work + "/stdout"))}
good = entries[work + "/plugins/good-algorithm.so"]
assert (good["name"], good["kind"], good["version"], good["status"]) == ("good-algorithm", "algorithm", "1.2", "ok")
assert good["summary"]
bad = entries[work + "/plugins/load-abort.so"]
assert bad["status"] == "broken" and "SIGABRT" in bad["reason"]
PYTHON

# Info.
expect 0 "$CRUCIBLE" info good-algorithm
for part in "nodes, graphs, anomaly, rows" "Nobody. Class Frequencies. 2024." MIT "1..4096" "one of 0.1, 0.5" "how long to train"; do
    contains "$out" "$part"
done
expect 0 "$CRUCIBLE" info algorithm/good-algorithm --json
python3 -c '
import json, sys
p = {p["key"]: p for p in json.load(open(sys.argv[1]))["params"]}
assert p["hidden"]["default"] == 64 and p["hidden"]["max"] == 4096 and p["mode"]["choices"] == ["sym", "rw"]
' "$work/stdout" || fail "info --json"
# The sections of an experiment file, from the same tables that they are checked against.
expect 0 "$CRUCIBLE" info run
contains "$out" "[run]"
contains "$out" "trials at a time; 0: one per core"
expect 0 "$CRUCIBLE" info split --json
python3 -c '
import json, sys
s = json.load(open(sys.argv[1]))
keys = {p["key"]: p for p in s["params"]}
assert s["kind"] == "section" and s["lists"] and keys["scheme"]["default"] == "auto" and "inductive" in keys["view"]["choices"], s
' "$work/stdout" || fail "info split --json"
expect 0 "$CRUCIBLE" info --sections --json
python3 -c '
import json, sys
names = [s["name"] for s in json.load(open(sys.argv[1]))]
assert sorted(names) == sorted("experiment split preprocess monitor search run report paths artefact".split()), names
' "$work/stdout" || fail "info --sections --json"
expect 2 "$CRUCIBLE" info run --sections

# Every plugin of ours says its licence and its authors.
expect 0 env -u CRUCIBLE_PLUGIN_PATH "$CRUCIBLE" info --all --json
python3 -c '
import json, sys
plugins = json.load(open(sys.argv[1]))
silent = [p["name"] for p in plugins if not p["license"] or not p["authors"]]
assert plugins and not silent, silent
' "$work/stdout" || fail "info --all --json"
expect 2 "$CRUCIBLE" info runn
contains "$errors" "--sections"
expect 2 "$CRUCIBLE" check --seconds 0 "$BUILD/no-such.so"
contains "$errors" "--seconds takes a whole number of at least 1"
expect 2 "$CRUCIBLE" info good-algoritm
contains "$errors" "did you mean 'good-algorithm'?"
expect 2 "$CRUCIBLE" info metric/good-algorithm
expect 1 "$CRUCIBLE" info load-abort
contains "$errors" "aborts while loading"

# A plugin from outside the tree, built with one line, is there at once.
cat >"$work/mine.c" <<'C'
#include <crucible/crucible.h>
static cru_status score(const cru_judging *j, double *value)
{
    *value = (double)j->items.count;
    return CRU_OK;
}
static const cru_metric vtable = {.size = sizeof(cru_metric), .score = score};
CRU_PLUGIN = {CRU_PLUGIN_HEADER(CRU_KIND_METRIC), .name = "mine", .version = "1", .summary = "my own",
              .problems = CRU_NODES, .vtable = &vtable};
C
sanitizers=
if nm -D "$BUILD"/lib/libcrucible.so | grep -q __asan_init; then sanitizers=-fsanitize=address; fi
gcc -shared -fPIC $sanitizers -I"$SOURCE/sdk/include" "$work/mine.c" -o "$work/plugins/mine.so" -L"$BUILD/lib" -lcrucible ||
    fail "gcc"
expect 0 "$CRUCIBLE" info mine
contains "$out" "my own"

# Version, doctor, check.
expect 0 "$CRUCIBLE" version --json
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["abi_major"] == 2' "$work/stdout" || fail "version"
expect 0 "$CRUCIBLE" --version
expect 0 "$CRUCIBLE" doctor --json
python3 - "$work/stdout" <<'PYTHON' || fail "doctor --json"
import json, sys
found = {f["topic"]: f for f in json.load(open(sys.argv[1]))}
for topic in ("compiler", "processor", "threads", "memory", "seccomp", "Landlock", "CUDA toolkit", "GPU", "plugins", "cache folder"):
    assert found[topic]["status"] in ("ok", "warn", "missing"), topic
    assert found[topic]["status"] == "ok" or found[topic]["advice"], topic
assert "1 broken" in found["plugins"]["detail"]
PYTHON
expect 0 "$CRUCIBLE" check "$work/plugins/good-algorithm.so"
contains "$out" "0 failed"
expect 1 "$CRUCIBLE" check "$work/plugins/load-abort.so"
expect 1 "$CRUCIBLE" check "$work/nowhere.so"
expect 0 "$CRUCIBLE" check --json "$work/plugins/mine.so"
