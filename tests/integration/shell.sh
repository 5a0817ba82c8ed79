# SPDX-License-Identifier: Apache-2.0
# Completion in bash and zsh offers what the program knows; the manual pages say what --help says.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# ---- the words themselves ----
expect 0 "$CRUCIBLE" complete verbs
[ "$out" = "$("$CRUCIBLE" --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p')" ] || fail "verbs are not those of --help: $out"
expect 0 "$CRUCIBLE" complete keys
for key in experiment.seeds= monitor.rule= algorithm.gcn.hidden= corruptor.uniform.rate= dataset.csbm.nodes=; do
    grep -qx "$key" <<<"$out" || fail "no key $key"
done
expect 0 "$CRUCIBLE" complete datasets
for name in cora csbm; do grep -qx "$name" <<<"$out" || fail "no dataset $name"; done
! grep -qx gcn <<<"$out" || fail "gcn is no dataset"
expect 2 "$CRUCIBLE" complete nonsense
! "$CRUCIBLE" --help | grep -q complete || fail "help lists complete"

# ---- bash ----
# offers LINE WORD...: completing the line offers each of the words, and nothing that does not begin as the line ends
cat >offers.bash <<'END'
. "$SOURCE/core/cli/shell/crucible.bash"
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("$CRUCIBLE")
_crucible
printf '%s\n' "${COMPREPLY[@]}"
END
offers()
{
    local line=$1 last=${1##* } word
    shift
    found=$(SOURCE=$SOURCE CRUCIBLE=$CRUCIBLE bash offers.bash "$line") || fail "bash: $line"
    for word in "$@"; do grep -qxF -- "$word" <<<"$found" || fail "bash: '$line' does not offer $word but: $found"; done
    [ -z "$last" ] || ! grep -qvE -- "^$last" <<<"$found" || fail "bash: '$line' offers: $found"
}
touch one.ini two.csv plugin.so
offers "crucible " run report info --version
offers "crucible re" report
offers "crucible info gc" gcn
offers "crucible info cor" cora
offers "crucible info spl" split
offers "crucible stats cs" csbm
offers "crucible run o" one.ini
offers "crucible check pl" plugin.so
offers "crucible run one.ini --s" --set
offers "crucible run one.ini --set algorithm.gcn.h" algorithm.gcn.hidden=
offers "crucible report --metric macro" macro-f1
offers "crucible plot ra" ranks
offers "crucible list alg" algorithms
offers "crucible new cor" corruptor
[ "$(SOURCE=$SOURCE CRUCIBLE=$CRUCIBLE bash offers.bash "crucible run tw")" = "" ] || fail "bash: offers a file that run cannot read"

# ---- zsh: its own builtins stand aside, what they are given is printed ----
if command -v zsh >/dev/null; then
    cat >offers.zsh <<'END'
compadd() { local -a all; while [[ $1 == -* && $1 != --* ]]; do [[ $1 == -a ]] && { all=(${(P)2}); shift 2; continue }; shift 2; done; print -l -- $all $@ }
_files() { print -l -- *(N) }
words=("$CRUCIBLE" "$@") CURRENT=$#words
source "$SOURCE/core/cli/shell/_crucible"
END
    zsh_offers()
    {
        local word=$1
        shift
        found=$(SOURCE=$SOURCE CRUCIBLE=$CRUCIBLE zsh -f offers.zsh "$@" 2>&1) || fail "zsh: $* $found"
        grep -qxF -- "$word" <<<"$found" || fail "zsh: '$*' does not offer $word but: $found"
    }
    zsh_offers report re
    zsh_offers gcn info gc
    zsh_offers cora fetch ""
    zsh_offers one.ini run ""
    zsh_offers --set run one.ini --s
    zsh_offers algorithm.gcn.hidden= run one.ini --set algo
    zsh_offers macro-f1 report --metric m
    zsh_offers ranks plot ""
else
    echo "SKIP zsh completion: there is no zsh"
fi

# ---- manual pages ----
expect 0 "$SOURCE/tools/man" "$CRUCIBLE" "$work/man"
for verb in $("$CRUCIBLE" complete verbs); do
    page=$work/man/crucible-$verb.1
    [ -s "$page" ] || fail "no page for $verb"
    for option in $("$CRUCIBLE" "$verb" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--.*'); do
        grep -qF -- "${option//-/\\-}" "$page" || fail "the page of $verb does not tell $option"
    done
done
grep -q 'crucible\\-run' "$work/man/crucible.1" || fail "crucible.1 does not name crucible-run"
if command -v man >/dev/null && command -v nroff >/dev/null; then
    for page in "$work"/man/*.1; do
        warned=$(MANROFFSEQ='' man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)
        [ -z "$warned" ] || fail "$page: $warned"
    done
fi

# ---- version ----
expect 0 "$CRUCIBLE" --version
contains "$out" "Apache-2.0"
expect 0 "$CRUCIBLE" version --json
contains "$out" '"license":'
echo ok
