# SPDX-License-Identifier: Apache-2.0
# What the integration tests share. CRUCIBLE is the program, BUILD the build tree, SOURCE the source tree.
set -u

# Many tests read what the program wrote with Python, which a machine need not have.
if ! command -v python3 >/dev/null && grep -q '^[^#]*python3 [-"<]' "$0"; then
    echo "SKIP: no python3, with which this test looks at results"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
unset CRUCIBLE_PLUGIN_PATH NO_COLOR

fail()
{
    echo "FAILED: $*" >&2
    exit 1
}

# expect CODE COMMAND...: runs the command, keeps its output in $out and its errors in $errors.
expect()
{
    local wanted=$1 code=0
    shift
    "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    out=$(cat "$work/stdout")
    errors=$(cat "$work/stderr")
    [ "$code" = "$wanted" ] || fail "exit code $code instead of $wanted: $*
$out
$errors"
}

# contains TEXT PART
contains()
{
    case "$1" in
    *"$2"*) ;;
    *) fail "no '$2' in:
$1" ;;
    esac
}

lacks() # TEXT PART
{
    case $1 in *"$2"*) fail "'$2' is in: $1" ;; esac
}
