# SPDX-License-Identifier: Apache-2.0
# Every card of the tree against a server that has what the authors publish, where and how they publish it: imitations
# that the test makes, and the real data when there is a mirror. No network.
. "$(dirname "$0")/lib.sh"
mirror=${CRUCIBLE_MIRROR:-}
unset CRUCIBLE_MIRROR http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
export NO_PROXY=127.0.0.1
python3 -c 'import ctypes; ctypes.CDLL("libarchive.so.13")' || fail "libarchive13 is not installed"

mkdir "$work/www"
exec 3< <(exec python3 "$SOURCE/tests/integration/fetch-server.py" "$work/www" "$work/requests")
server=$!
trap 'kill $server; rm -rf "$work"' EXIT
read -r port <&3 || fail "the server does not start"

# imitate FOLDER [MIRROR]: the cards in FOLDER/cards, their world in the server's folder
imitate()
{
    mkdir -p "$1"
    ln -sfn "$work/www" "$1/www"
    python3 "$SOURCE/tests/integration/fetch-authors.py" "$SOURCE/datasets/cards" "$1" "$port" ${2:+"$2"} ||
        fail "the imitation cannot be made"
}

# check_files FOLDER DATA: every file that FOLDER/expected names is in DATA with its checksum
check_files()
{
    local name file sum
    while IFS=$'\t' read -r name file sum; do
        [ -e "$2/crucible/datasets/$file" ] || fail "$name: no $file"
        [ "$(sha256sum <"$2/crucible/datasets/$file")" = "$sum  -" ] || fail "$name: another $file"
    done <"$1/expected"
    if find "$2" -name '*.part*' -o -name '*.pack' -o -name '*.bad' | grep .; then fail "left behind"; fi
}

# Made-up contents: every file arrives as the card describes it, though no plugin can read it.
imitate "$work/made-up"
count=$(ls "$work/made-up/cards" | wc -l)
[ "$count" -ge 80 ] || fail "only $count cards can be fetched"
XDG_DATA_HOME=$work/data-1 "$CRUCIBLE" fetch "$work"/made-up/cards/*.ini --quiet >/dev/null 2>&1
check_files "$work/made-up" "$work/data-1"

# The first address of every file is gone: those with a second one arrive all the same.
python3 - "$work/made-up" <<'PYTHON' || fail "cards with a second address"
import os, re, sys
folder = sys.argv[1]
names = set()
for name in sorted(os.listdir(folder + "/cards")):
    text = open(folder + "/cards/" + name).read()
    urls = text[text.index("[urls]"):].split("\n[", 1)[0]
    roles = [r for r in re.split(r"\n(?=\S)", urls)[1:] if "=" in r]
    if all("," in r for r in roles):
        names.add(name[:-4])
        text = text.replace(urls, re.sub(r"(= http://[^/]*)/ok/", r"\1/missing/", urls))
        open(folder + "/cards/" + name, "w").write(text)
    else:
        os.remove(folder + "/cards/" + name)
lines = [line for line in open(folder + "/expected") if line.split("\t")[0] in names]
open(folder + "/expected", "w").writelines(lines)
assert len(names) >= 15, names
PYTHON
XDG_DATA_HOME=$work/data-2 "$CRUCIBLE" fetch "$work"/made-up/cards/*.ini --quiet >/dev/null 2>&1
check_files "$work/made-up" "$work/data-2"

# The real contents: the cards' own checksums, sizes and counts hold after the way through the authors' archives.
if [ -z "$mirror" ]; then
    echo "SKIP: CRUCIBLE_MIRROR is not set, no real dataset is fetched"
    exit 0
fi
rm -rf "$work/www" && mkdir "$work/www"
imitate "$work/real" "$mirror"
XDG_DATA_HOME=$work/data-3 expect 0 "$CRUCIBLE" fetch "$work"/real/cards/*.ini
check_files "$work/real" "$work/data-3"
echo "$(ls "$work/real/cards" | wc -l) real datasets fetched"
