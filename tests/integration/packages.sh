# SPDX-License-Identifier: Apache-2.0
# tools/packages says what is missing where it may not or cannot install it, and touches nothing.
. "$(dirname "$0")/lib.sh"

[ -r /etc/debian_version ] || { echo "SKIP: not Debian"; exit 0; }

# A system of which only these programs are to be seen, where no package is installed and nobody is root.
mkdir "$work/bin"
for name in bash env cat dirname fold grep mktemp sed sleep tr uname; do ln -s "$(command -v $name)" "$work/bin/$name"; done
script() { # <name> <text>
    printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1"
}
script id 'echo 1000'
script dpkg-query 'exit 1'
packages() { env PATH="$work/bin" "$SOURCE/tools/packages" "$@" </dev/null; }
expect 1 packages build
contains "$errors" "there is no apt-get here, and packages are missing ("
for name in gcc cmake libsqlite3-dev; do contains "$errors" " $name"; done

script apt-get "touch $work/touched"
expect 1 packages build
contains "$errors" "you are not root, and sudo does not help, and packages are missing ("
contains "$errors" "apt-get install --no-install-recommends gcc "
script sudo 'exit 1'
expect 1 packages build
[ ! -e "$work/touched" ] || fail "apt-get was called"

# Nothing is said where nothing is missing.
script dpkg-query 'echo install ok installed'
expect 0 packages build test
[ -z "$out$errors" ] || fail "said: $out$errors"
expect 2 packages nonsense
contains "$errors" "tools/packages [build] [test]"
