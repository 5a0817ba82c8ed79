// SPDX-License-Identifier: Apache-2.0
/* page-assets.c: the look and the behaviour of the page. */
#include "report/format/page.h"

const char page_css[] =
    ":root{color-scheme:light dark;--ink:#1f2328;--faint:#d0d7de;--soft:#59636e;--paper:#fff;--stripe:#f6f8fa}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--faint:#3d444d;--soft:#9198a1;--paper:#0d1117;\n"
    "  --stripe:#151b23}}\n"
    "body{margin:2rem auto;max-width:72rem;padding:0 1rem;color:var(--ink);background:var(--paper);\n"
    "  font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.5rem}h3{font-size:1rem;margin-top:1.5rem}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;color:var(--soft);padding-bottom:.5rem}\n"
    "th,td{padding:.3rem .7rem;text-align:right;white-space:nowrap}\n"
    "th[scope=row],thead th:first-child{text-align:left}\n"
    "thead{border-bottom:2px solid var(--ink)}tbody{border-bottom:1px solid var(--faint)}\n"
    "tbody tr:nth-child(even){background:var(--stripe)}\n"
    "thead button{all:unset;cursor:pointer;font-weight:600}\n"
    "thead button:focus-visible{outline:2px solid;outline-offset:2px}\n"
    "th[aria-sort=ascending] button::after{content:' \\2191'}\n"
    "th[aria-sort=descending] button::after{content:' \\2193'}\n"
    ".spread,.none,small,.legend{color:var(--soft)}\n"
    "pre{overflow-x:auto;padding:1rem;background:var(--stripe)}\n";

/* A click on a heading sorts by it, the next one the other way round. Numbers go by data-value; cells without one stay
 * last. */
const char page_script[] =
    "'use strict';\n"
    "const key = (row, column) => {\n"
    "  const cell = row.cells[column];\n"
    "  if (!('value' in cell.dataset)) return cell.textContent;\n"
    "  return cell.dataset.value === '' ? null : Number(cell.dataset.value);\n"
    "};\n"
    "const compare = (a, b) => typeof a === 'number' ? a - b : a.localeCompare(b);\n"
    "const sort = (table, column, sign) => {\n"
    "  const body = table.tBodies[0];\n"
    "  const rows = Array.from(body.rows, row => ({row, value: key(row, column)}));\n"
    "  rows.sort((a, b) => {\n"
    "    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);\n"
    "    return sign * compare(a.value, b.value);\n"
    "  });\n"
    "  body.append(...rows.map(entry => entry.row));\n"
    "};\n"
    "for (const table of document.querySelectorAll('table.results')) {\n"
    "  const heads = Array.from(table.tHead.rows[0].cells);\n"
    "  heads.forEach((head, column) => head.addEventListener('click', () => {\n"
    "    const ascending = head.getAttribute('aria-sort') !== 'ascending';\n"
    "    for (const other of heads) other.setAttribute('aria-sort', 'none');\n"
    "    head.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');\n"
    "    sort(table, column, ascending ? 1 : -1);\n"
    "  }));\n"
    "}\n";
