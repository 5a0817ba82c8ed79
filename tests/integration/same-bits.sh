# SPDX-License-Identifier: Apache-2.0
# Every method computes the same bits whichever compiler built it: scores on tiny problems by this build and, where
# there is one, by that of clang (tools/build clang crucible-bits).
. "$(dirname "$0")/lib.sh"

clang=$SOURCE/build/clang
bits() { # build folder
    "$1/tests/crucible-bits" "$1"/lib/crucible/plugins/algorithms/*.so
}
[ -x "$BUILD/tests/crucible-bits" ] || { echo "skipped: crucible-bits is not built"; exit 0; }
bits "$BUILD" >"$work/one" || fail "crucible-bits failed"
bits "$BUILD" >"$work/two" && cmp -s "$work/one" "$work/two" || fail "a second run gives other bits: $(diff "$work/one" "$work/two" | head -3)"
[ "$BUILD" != "$clang" ] && [ -x "$clang/tests/crucible-bits" ] || { echo "skipped: no build of clang to compare with"; exit 0; }
[ "$clang/tests/crucible-bits" -nt "$BUILD/lib/libcrucible.so" ] || { echo "skipped: the build of clang is older"; exit 0; }
bits "$clang" >"$work/clang" || fail "crucible-bits of clang failed"
cmp -s "$work/one" "$work/clang" || fail "clang gives other bits: $(diff "$work/one" "$work/clang")"
