# SPDX-License-Identifier: Apache-2.0
# A split of the user's own: dropped into a folder it is listed, described, checked and used; what is wrong with it or with
# its settings is one line.
. "$(dirname "$0")/lib.sh"

mkdir "$work/plugins"
cat >"$work/odd.c" <<'C'
#include <crucible/crucible.h>
typedef struct settings { int64_t gap; } settings;
static const cru_param schema[] = {CRU_INT(settings, gap, 2, 2, 10, "every gap-th item trains"), CRU_END};
static cru_status divide(const cru_dividing *d)
{
    const int64_t gap = ((const settings *)d->settings)->gap;
    cru_data *data = d->data;
    int32_t *train = cru_data_alloc(data, data->items, sizeof *train), *test = cru_data_alloc(data, data->items, sizeof *test);
    int64_t n = 0, m = 0;
    for (int32_t i = 0; i < data->items; i++)
        if (data->truth[i] == CRU_UNLABELLED) continue;
        else if (i % gap == 0) train[n++] = i;
        else test[m++] = i;
    const int64_t val = m / 4;
    data->split = (cru_split){.train = {train, n}, .val = {test, val}, .test = {test + val, m - val}};
    return CRU_OK;
}
static const cru_splitter vtable = {.size = sizeof(cru_splitter), .divide = divide};
CRU_PLUGIN = {CRU_PLUGIN_HEADER(CRU_KIND_SPLIT), .name = "odd", .version = "1", .summary = "every other item",
              .problems = CRU_NODES, .settings_size = sizeof(settings), .params = schema, .vtable = &vtable};
C
libdir=$(dirname "$(find "$BUILD" -name 'libcrucible.so' | head -1)")
expect 0 "${CC:-cc}" -shared -fPIC -I"$SOURCE/sdk/include" "$work/odd.c" -o "$work/plugins/odd.so" -L"$libdir" -lcrucible \
    -Wl,-rpath,"$libdir"
export CRUCIBLE_PLUGIN_PATH=$work/plugins

expect 0 "$CRUCIBLE" list splits
contains "$out" "every other item"
contains "$out" "stratified"
expect 0 "$CRUCIBLE" info odd
contains "$out" "every gap-th item trains"
expect 0 "$CRUCIBLE" info split/uniform
contains "$out" "share of validation items"
expect 0 "$CRUCIBLE" check "$work/plugins/odd.so"
contains "$out" "0 failed"

write() {
    printf '[experiment]\nname = own\n[dataset csbm]\nnodes = 120\n[algorithm mlp]\n[monitor]\nepochs = 2\n[split]\n%b' "$1" >"$work/own.ini"
}
write 'scheme = odd, percent\ngap = 2, 3\ntrain = 0.3\n'
expect 0 "$CRUCIBLE" run "$work/own.ini" --db "$work/own.db"
expect 0 sqlite3 "$work/own.db" "select count(*) from trial where outcome = 1"
[ "$out" = 3 ] || fail "$out trials instead of 3"

write 'scheme = ood\n'
expect 2 "$CRUCIBLE" run "$work/own.ini" --db "$work/own.db"
contains "$errors" "own.ini:9: ood: unknown split scheme; did you mean odd?"
write 'scheme = odd\ngap = 1\n'
expect 2 "$CRUCIBLE" run "$work/own.ini" --db "$work/own.db"
contains "$errors" "own.ini:10: gap = 1: must be between 2 and 10"
write 'scheme = odd\ntrain = 0.2\n'
expect 2 "$CRUCIBLE" run "$work/own.ini" --db "$work/own.db"
contains "$errors" "own.ini:10: train: not used by scheme = odd, which takes gap, view"
