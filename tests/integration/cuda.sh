# SPDX-License-Identifier: Apache-2.0
# The program on the CUDA backend, as far as it goes without a card: on an emulated one, and with what the real backend says.
. "$(dirname "$0")/lib.sh"

emulated=$BUILD/tests/backend-cuda-emulated.so
real=$(find "$BUILD" -name backend-cuda.so | head -1)

config() # DEVICE [LINE...]: an experiment on it
{
    cat >"$work/run.ini" <<INI
[experiment]
name = card
seeds = 0..3
metrics = accuracy
[dataset csbm]
nodes = 200
[algorithm gcn]
epochs = 3
[run]
sandbox = off
jobs = 2
device = $1
INI
    shift
    [ $# = 0 ] || printf '%s\n' "$@" >>"$work/run.ini"
    rm -f "$work/run.db"
}
run() { expect "$1" "$CRUCIBLE" run "$work/run.ini" --db "$work/run.db"; }
one_line() # TEXT...: the only line of errors, but for that of the lifted sandbox, says so
{
    errors=$(printf '%s\n' "$errors" | grep -v '^\[run\] sandbox = off: ')
    [ "$(printf '%s\n' "$errors" | wc -l)" = 1 ] || fail "more than one line: $errors"
    contains "$errors" "$1"
}

if [ -e "$emulated" ]; then
    mkdir "$work/plugins" && cp "$emulated" "$work/plugins/"
    export CRUCIBLE_PLUGIN_PATH=$work/plugins
    expect 0 "$CRUCIBLE" list backends
    contains "$out" "emulated card, for tests only"
    expect 0 "$CRUCIBLE" doctor
    contains "$out" "cuda-emulated: its first card opens"
    CUDA_EMULATED_FAULT=old-driver expect 0 "$CRUCIBLE" doctor
    contains "$out" "the driver is too old"

    # Trials are spread over the cards.
    config cuda-emulated "devices = 0, 2"
    CUDA_EMULATED_CARDS=3 CUDA_EMULATED_LOG=$work/cards run 0
    grep -q 'card 0' "$work/cards" && grep -q 'card 2' "$work/cards" || fail "not both cards were used"
    grep -q 'card 1' "$work/cards" && fail "a card was used that was not named"

    # A card that is not there, no GPU, no driver, an old one, another generation: one line, and nothing is run.
    config cuda-emulated:1
    run 1
    one_line "there is no card 1; this machine has 1"
    config cuda-emulated
    CUDA_EMULATED_CARDS=0 run 1
    one_line "no GPU answers: no CUDA-capable device is detected"
    CUDA_EMULATED_FAULT=no-driver run 1
    one_line "no GPU answers: there is no NVIDIA driver"
    CUDA_EMULATED_FAULT=old-driver run 1
    one_line "the driver is too old"
    CUDA_EMULATED_FAULT=old-card run 1
    one_line "not built for this generation of cards"

    # Memory of the card, and of a limit below it, runs out: that is the outcome of every trial, so that there is no result.
    CUDA_EMULATED_MEMORY_MIB=1 run 1
    contains "$errors" "seed 0: oom: out of memory"
    config cuda-emulated "device_memory = 1"
    run 1
    contains "$errors" "seed 0: oom: out of memory"
else
    echo "SKIP: the emulated card is not built here"
fi
unset CRUCIBLE_PLUGIN_PATH

# The real backend, where there is no card: the same line. Methods on a card are trusted or not run.
if [ -n "$real" ] && [ ! -e /proc/driver/nvidia/version ]; then
    config cuda
    run 1
    one_line "no GPU answers: there is no NVIDIA driver"
    sed -i 's/^sandbox.*/sandbox = on/' "$work/run.ini"
    run 1
    one_line "cannot be sandboxed"
else
    echo "SKIP: no CUDA backend in this build, or a driver on this machine"
fi
expect 0 "$CRUCIBLE" doctor
contains "$out" "CUDA toolkit"
contains "$out" "GPU"

# Neither the program nor the SDK knows of CUDA; without the backend a build has no trace of it.
for file in "$CRUCIBLE" "$(find "$BUILD" -name 'libcrucible.so' | head -1)"; do
    readelf -d "$file" | grep NEEDED | grep -E 'libcu(da|dart|blas|sparse)' && fail "$file needs CUDA"
    nm -D "$file" | grep -E '\bcu(da|blas|sparse)[A-Z]' && fail "$file refers to CUDA"
done
expect 0 cmake -S "$SOURCE" -B "$work/off" -G Ninja -DCRUCIBLE_CUDA=OFF -DCRUCIBLE_TESTS=OFF
grep -il 'nvcc\|cublas\|cusparse\|cudart\|backend-cuda' "$work/off/build.ninja" && fail "a build without CUDA refers to it"
expect 1 env CUDACXX=/bin/false cmake -S "$SOURCE" -B "$work/on" -G Ninja -DCRUCIBLE_CUDA=ON -DCRUCIBLE_TESTS=OFF
contains "$errors" "install the CUDA toolkit"
