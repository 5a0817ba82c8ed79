# SPDX-License-Identifier: Apache-2.0
# The HTML page in a browser: it renders, a click on a heading sorts, nothing goes wrong on the console.
. "$(dirname "$0")/lib.sh"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] || ! command -v sqlite3 >/dev/null; then
    echo "SKIPPED: needs chromium and sqlite3"
    exit 0
fi
cd "$work" || exit 1
sqlite3 results.db <"$SOURCE/tests/fixtures/report/store-v1.sql" || fail "no fixture"
expect 0 "$CRUCIBLE" report --format html --out page.html

# A second script, after the page's own, clicks and writes down what it sees.
cat >probe.html <<'HTML'
<script>
const order = () => Array.from(document.querySelector('table.results').tBodies[0].rows, r => r.cells[0].textContent);
const heads = document.querySelectorAll('table.results')[0].tHead.rows[0].cells;
const seen = {before: order(), plots: document.querySelectorAll('svg.plot').length, scripts: document.scripts.length};
heads[heads.length - 1].querySelector('button').click();
seen.ascending = order();
seen.state = heads[heads.length - 1].getAttribute('aria-sort');
heads[heads.length - 1].querySelector('button').click();
seen.descending = order();
heads[4].querySelector('button').click();
seen.missing = order().at(-1);
heads[0].querySelector('button').click();
seen.names = order();
seen.wide = document.querySelector('svg.plot').getBoundingClientRect().width > 100;
document.body.innerHTML = '';
document.body.append('SEEN' + JSON.stringify(seen) + 'END');
</script>
HTML
python3 - <<'PY'
page = open("page.html").read()
open("probed.html", "w").write(page.replace("</body>", open("probe.html").read() + "</body>"))
PY
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
    --enable-logging=stderr --virtual-time-budget=2000 --dump-dom "file://$work/probed.html" >dom 2>log ||
    fail "the browser ended with $?: $(tail -3 log)"
if grep -q "CONSOLE" log; then fail "the page wrote to the console: $(grep CONSOLE log)"; fi
python3 - <<'PY' || fail "the page does not behave"
import html, json, re
seen = json.loads(html.unescape(re.search(r"SEEN(.*)END", open("dom").read(), re.S).group(1)))
script = "<script>alert(1)</script>"
names = ["gcn", script, 'a,b "q" & 5%_x', "big"]
assert seen["before"] == names, seen
assert seen["ascending"] == names, seen          # by rank: the methods are in order of their quality
assert seen["state"] == "ascending", seen
assert seen["descending"] == names[::-1], seen
assert seen["missing"] == "big", seen            # a cell without a number stays last
assert seen["names"] == sorted(names), seen
assert seen["scripts"] == 2 and seen["plots"] == 10 and seen["wide"], seen
PY
echo "passed"
