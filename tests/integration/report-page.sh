# SPDX-License-Identifier: Apache-2.0
# The HTML page in a browser: it renders, a click on a heading sorts, words filter, all trials can be had as CSV, charts
# stand in two columns on a wide screen, nothing goes wrong on the console.
. "$(dirname "$0")/lib.sh"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ] || ! command -v sqlite3 >/dev/null; then
    echo "SKIPPED: needs chromium and sqlite3"
    exit 0
fi
cd "$work" || exit 1
sqlite3 results.db <"$SOURCE/tests/fixtures/report/store-v1.sql" || fail "no fixture"
printf 'x,y,class\n0,0,a\n1,0,a\n0,5,b\n1,5,</script>\n' >points.csv
expect 0 "$CRUCIBLE" report --format html --compare --data points.csv --out page.html

# A second script, after the page's own, clicks and writes down what it sees.
cat >probe.html <<'HTML'
<script>
const order = () => Array.from(document.querySelector('table.results').tBodies[0].rows, r => r.cells[0].textContent);
const table = document.querySelector('table.results');
const heads = Array.from(table.tHead.querySelectorAll('th[data-col]')).sort((a, b) => a.dataset.col - b.dataset.col);
const seen = {before: order(), plots: document.querySelectorAll('svg.plot').length, scripts: document.scripts.length};
seen.levels = table.tHead.rows.length;
seen.upper = Array.from(table.tHead.querySelectorAll('th.upper'), h => h.textContent + h.colSpan);
heads.at(-1).querySelector('button').click();
seen.ascending = order();
seen.state = heads.at(-1).getAttribute('aria-sort');
heads.at(-1).querySelector('button').click();
seen.descending = order();
heads[4].querySelector('button').click();
seen.missing = order().at(-1);
heads[0].querySelector('button').click();
seen.names = order();
seen.wide = document.querySelector('svg.plot').getBoundingClientRect().width > 100;
const type = (input, text) => { input.value = text; input.dispatchEvent(new Event('input')); };
type(document.querySelector('.filter'), 'GCN big');
seen.filtered = Array.from(table.tBodies[0].rows).filter(r => !r.hidden).map(r => r.cells[0].textContent);
type(document.getElementById('find'), 'oom citeseer');
seen.found = document.getElementById('found').textContent;
const saved = [];
URL.createObjectURL = blob => { saved.push(blob.size); return '#'; };
document.getElementById('raw-csv').click();
document.querySelector('.csv').click();
seen.saved = saved.length;
seen.lines = load().count;
seen.first = load().line(0).slice(0, 2).join(' ') + ' ' + load().names.join(' ');
seen.columns = getComputedStyle(document.querySelector('.charts')).gridTemplateColumns.split(' ').length;
seen.summary = document.querySelector('dl.summary').textContent.replace(/\s+/g, ' ');
seen.legend = document.querySelector('p.legend').textContent;
seen.overflow = Array.from(document.querySelectorAll('svg.plot')).filter(s => {
  const box = s.getBoundingClientRect();
  return Array.from(s.querySelectorAll('text')).some(t => {
    const b = t.getBoundingClientRect();
    return b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1;
  });
}).map(s => s.getAttribute('aria-label'));
seen.touching = Array.from(document.querySelectorAll('svg.plot')).flatMap(s => {
  const texts = Array.from(s.querySelectorAll('text')).filter(t => t.textContent && !t.closest('g[transform]'));
  const boxes = texts.map(t => t.getBoundingClientRect());
  const scale = s.getBoundingClientRect().width / s.viewBox.baseVal.width, pairs = [];
  for (let i = 0; i < boxes.length; i++) for (let k = 0; k < i; k++) {
    const wide = Math.min(boxes[i].right, boxes[k].right) - Math.max(boxes[i].left, boxes[k].left);
    const high = Math.min(boxes[i].bottom, boxes[k].bottom) - Math.max(boxes[i].top, boxes[k].top);
    if (wide > 2 * scale && high > 4 * scale)
      pairs.push(s.getAttribute('aria-label') + ': ' + texts[i].textContent + ' / ' + texts[k].textContent);
  }
  return pairs;
});
document.body.innerHTML = '';
document.body.append('SEEN' + JSON.stringify(seen) + 'END');
</script>
HTML
python3 - <<'PY'
page = open("page.html").read()
open("probed.html", "w").write(page.replace("</body>", open("probe.html").read() + "</body>"))
PY
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$work/profile" \
    --enable-logging=stderr --virtual-time-budget=2000 --window-size=1600,1000 --dump-dom "file://$work/probed.html" >dom 2>log ||
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
assert seen["scripts"] == 3 and seen["wide"], seen       # the page's, the trials, and this probe
assert seen["plots"] == 2 * 12 + 1, seen                 # twelve kinds for each metric, and the map of the file
assert seen["levels"] == 2 and seen["upper"] == ["cora3", "citeseer3"], seen
assert seen["filtered"] == ["big", "gcn"], seen
assert seen["found"] == "18 found", seen
assert seen["saved"] == 2 and seen["lines"] == 144, seen
assert seen["first"].startswith("gcn gcn method algorithm"), seen
assert seen["columns"] == 2, seen
for piece in ("cora, citeseer", "0 to 5 (6)", "144, 126 of them", "18 oom", "MiB"):
    assert piece in seen["summary"], (piece, seen["summary"])
assert seen["legend"].startswith("Bold: best of its column; underlined: second best"), seen
assert seen["overflow"] == [], seen["overflow"]
assert seen["touching"] == [], seen["touching"]          # no word of a picture covers another
PY
echo "passed"
