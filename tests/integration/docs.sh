# SPDX-License-Identifier: Apache-2.0
# What the pages name is there: links in the tree and in an installed tree, the hops of ARCHITECTURE.md, tools and folders that
# the pages for contributors speak of.
. "$(dirname "$0")/lib.sh"

# links FOLDER: every relative link of every page in it leads somewhere
links()
{
    local page line target lost=
    while IFS=: read -r page line target; do
        target=${target#](}
        target=${target%%[)#]*}
        [ -e "$(dirname "$page")/$target" ] || lost="$lost
$page:$line: $target"
    done < <(grep -rnoE --include='*.md' --exclude-dir='build*' '\]\([^):]+\)' "$1")
    [ -z "$lost" ] || fail "links that lead nowhere:$lost"
}
links "$SOURCE"
DESTDIR='' cmake --install "$BUILD" --prefix "$work/prefix" >"$work/install.log" 2>&1 || fail "$(cat "$work/install.log")"
links "$work/prefix"

# `path` and `path:function`
lost=
while read -r hop; do
    file=$SOURCE/${hop%%:*}
    [ -e "$file" ] || { lost="$lost $hop"; continue; }
    case $hop in
    *:*) grep -qE "^[a-z].*\b${hop##*:}\(" "$file" || lost="$lost $hop" ;;
    esac
done < <(grep -oE '`(core|sdk|plugins)/[a-z0-9./-]+\.[ch](:[a-z_]+)?`' "$SOURCE/ARCHITECTURE.md" | tr -d '`')
[ -z "$lost" ] || fail "ARCHITECTURE.md names what is not there:$lost"

for page in README.md CONTRIBUTING.md ARCHITECTURE.md tests/README.md CHANGELOG.md; do
    for path in $(grep -oE '(^|[ `(])(tools|tests|core|sdk|plugins|configs|datasets|cmake)/[A-Za-z0-9_./-]*[A-Za-z0-9_/]' \
        "$SOURCE/$page" | tr -d ' `(' | sort -u); do
        [ -e "$SOURCE/$path" ] || compgen -G "$SOURCE/$path*" >/dev/null || fail "$page names $path, which is not there"
    done
done

# The README's table is what the program makes of configs/quickstart.ini. The last digits may be others on another processor.
cd "$work" || exit 1
means() { sed -nE 's/^ *((gcn|mlp|label-propagation) .*)/\1/p' | grep ± | sed -E 's/± +[0-9.]+[¹²]?//g'; }
expect 0 "$CRUCIBLE" run "$SOURCE/configs/quickstart.ini" --db quickstart.db --quiet
expect 0 "$CRUCIBLE" report --db quickstart.db --metric accuracy
means <<<"$out" >measured
means <"$SOURCE/README.md" >shown
[ "$(wc -l <measured)" = 3 ] || fail "no table: $out"
paste measured shown | awk '{ for (i = 1; i <= 5; i++) if ($i != $(i + 5) && ($i - $(i + 5)) ^ 2 > 1) exit 1 }' ||
    fail "README.md shows another table: $(paste measured shown)"
echo ok
