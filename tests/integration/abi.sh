# SPDX-License-Identifier: Apache-2.0
# The promises of the plugin interface: nothing that was recorded moved; only cru_ names are exported; a plugin that was
# built for an earlier major version or that is newer than the host is refused with advice.
. "$(dirname "$0")/lib.sh"

expect 0 python3 "$SOURCE/tools/abi" --check --build "$BUILD"
contains "$out" "are where they were"
expect 0 python3 "$SOURCE/tools/abi" --users # a promise has users

# A field that moved is found: the same check on a copy in which two members changed places.
cp -r "$SOURCE/sdk" "$work/sdk" && mkdir "$work/tools" && cp "$SOURCE/tools/abi" "$work/tools/"
python3 - "$work/sdk/include/crucible/plugin.h" <<'PY'
import sys
text = open(sys.argv[1]).read()
a, b = "    const char *authors;", "    const char *summary;"
assert a in text and b in text
open(sys.argv[1], "w").write(text.replace(a, "@").replace(b, a).replace("@", b))
PY
expect 1 python3 "$work/tools/abi" --check --build "$BUILD"
contains "$errors" "cru_plugin.summary was released at"

# ---- a plugin of the version before: another major number, so one sentence and no more ----
mkdir "$work/old" "$work/plugins" && tar -xf "$SOURCE/tests/fixtures/abi/headers-1.0.tar.xz" -C "$work/old" || fail "no saved headers"
grep -q '#define CRU_ABI_MAJOR 1' "$work/old/crucible/plugin.h" || fail "the saved headers are not those of 1.0"
awk '/^```c$/ { n++; inside = n == 1; next } /^```$/ { inside = 0 } inside' "$SOURCE/README.md" >"$work/logreg.c"
libdir=$(dirname "$(find "$BUILD" -name 'libcrucible.so' | head -1)")
cat >"$work/old.c" <<'C'
#include <crucible/plugin.h>
static cru_status create(void **self, const void *settings, const cru_task *task, cru_ctx *ctx)
{
    return cru_task_claim(task, CRU_NODES, ctx);
}
static cru_status fit(void *self, cru_monitor *monitor) { return CRU_OK; }
static cru_status predict(void *self, float *scores) { return CRU_OK; }
static const cru_algorithm vtable = {.size = sizeof(cru_algorithm), .create = create, .fit = fit, .predict = predict};
CRU_PLUGIN = {CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM), .name = "old", .version = "1.0", .summary = "of before",
              .problems = CRU_NODES, .vtable = &vtable};
C
expect 0 "${CC:-cc}" -shared -fPIC -I"$work/old" "$work/old.c" -o "$work/plugins/old.so" -L"$libdir" -lcrucible \
    -Wl,-rpath,"$libdir"
export CRUCIBLE_PLUGIN_PATH=$work/plugins
expect 0 "$CRUCIBLE" list algorithms
contains "$out" "built for plugin ABI 1.0, this crucible serves 2.0; rebuild the plugin with its SDK"
expect 1 "$CRUCIBLE" check "$work/plugins/old.so"

# ---- and one from the future ----
sed 's/^#define CRU_ABI_MINOR .*/#define CRU_ABI_MINOR 99/' "$SOURCE/sdk/include/crucible/plugin.h" >"$work/plugin.h"
mkdir -p "$work/new" && cp -r "$SOURCE/sdk/include/crucible" "$work/new/"
cp "$work/plugin.h" "$work/new/crucible/plugin.h"
expect 0 "${CC:-cc}" -shared -fPIC -I"$work/new" "$work/logreg.c" -o "$work/plugins/logreg.so" -L"$libdir" -lcrucible \
    -Wl,-rpath,"$libdir"
expect 0 "$CRUCIBLE" list algorithms
contains "$out" "upgrade crucible"
