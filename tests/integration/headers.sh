#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles by itself, as C and as C++.
set -u
include=$SOURCE/sdk/include
failed=0

check() {
    echo "#include <crucible/$1>" | "${@:2}" -Wall -Wextra -Werror -fsyntax-only -I"$include" - || {
        echo "$1 does not compile by itself with ${*:2}"
        failed=1
    }
}

for path in "$include"/crucible/*.h "$include"/crucible/draft/*.h; do
    header=${path#"$include"/crucible/}
    check "$header" "${CC:-cc}" -std=c11 -x c
    check "$header" "${CXX:-c++}" -std=c++20 -x c++
done

exit $failed
