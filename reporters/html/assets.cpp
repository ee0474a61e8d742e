// SPDX-License-Identifier: Apache-2.0
#include "html/html.hpp"

namespace assay::reporters {

const char* const kPageStyle = R"css(:root{--card:#f6f7f9;--good:#116329;--bad:#a40e26;--shade:#0006}
@media(prefers-color-scheme:dark){:root{--card:#1c2128;--good:#6bd08a;--bad:#ff8a94;--shade:#fff6}}
*{box-sizing:border-box}body{margin:0 auto;max-width:76rem;padding:1.5rem 1.25rem 4rem;font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--back);overflow-wrap:break-word}
h1{font-size:1.6rem;margin:0 0 .25rem}h2{font-size:1.2rem;margin:2.25rem 0 .75rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}h3{font-size:1rem;margin:1.25rem 0 .5rem}
p{margin:.4rem 0}.dim{color:var(--dim)}.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.verdict{font-size:1.15rem}
a{color:var(--s0)}code,pre{font:.86em/1.45 ui-monospace,monospace}pre{background:var(--card);padding:.75rem;overflow:auto;white-space:pre-wrap}
.wide{overflow-x:auto;background:linear-gradient(to right,var(--back) 40%,transparent) 0 0/2.5rem 100% no-repeat local,linear-gradient(to left,var(--back) 40%,transparent) 100% 0/2.5rem 100% no-repeat local,linear-gradient(to right,var(--shade),transparent) 0 0/.9rem 100% no-repeat scroll,linear-gradient(to left,var(--shade),transparent) 100% 0/.9rem 100% no-repeat scroll}
.wide.more::before{content:"more: scroll sideways →";position:sticky;left:0;display:inline-block;color:var(--dim);font-size:.8rem;padding:.15rem .5rem}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.35rem .5rem;border-bottom:1px solid var(--line)}th{font-weight:600;vertical-align:bottom}th[scope=row]{vertical-align:top}.n{text-align:right}td.n,td .id{white-space:nowrap}td .id wbr{white-space:normal}.finding td:first-child .id wbr{display:none}
#results td:last-child{min-width:6rem}
@media screen and (max-width:62.5rem){table{font-size:.84rem}th,td{padding:.35rem .35rem}}
.pairs{table-layout:fixed}.pairs th:first-child,.pairs td:first-child{width:13rem}
th button{all:unset;cursor:pointer}th button:focus-visible,a:focus-visible,summary:focus-visible,.wide:focus-visible,input:focus-visible,select:focus-visible{outline:2px solid var(--s0);outline-offset:2px}
th[aria-sort=ascending] button::after{content:" ↑"}th[aria-sort=descending] button::after{content:" ↓"}
.tools{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;margin:.5rem 0}.tools input,.tools select{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:4px;padding:.3rem .5rem;max-width:100%}.tools input{width:18rem}
.finding{border-left:3px solid var(--line);padding:.1rem 0 .1rem 1rem;margin:1rem 0}.finding h3{margin-top:0}.finding td:first-child{white-space:nowrap}
details{border-bottom:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}.pictures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:1rem;margin:.75rem 0}
figure{margin:0;min-width:0}figcaption{color:var(--dim);font-size:.85rem}
.whole{white-space:nowrap}.entry{display:inline-block}
.plot{display:block;width:100%;height:auto;max-width:46rem}
.key{display:inline-block;width:.7rem;height:.7rem;border-radius:50%;margin:0 .35rem 0 .6rem}.key.s0{background:var(--s0)}.key.s1{background:var(--s1)}.key.s2{background:var(--s2)}.key.s3{background:var(--s3)}.key.s4{background:var(--s4)}.key.s5{background:var(--s5)}.key.h0{background:var(--h0)}.key.h1{background:var(--h1)}.key.h2{background:var(--h2)}.key.h3{background:var(--h3)}.key.h4{background:var(--h4)}
@media screen and (min-width:30rem){.wide th:first-child:not(.n),.wide td:first-child:not(.n){position:sticky;left:0;background:var(--back)}}
@media screen and (max-width:43.75rem){body{padding:1rem .75rem 3rem}.plot{min-width:33rem}.pairs th:first-child,.pairs td:first-child{width:7rem}
#results,#results thead,#results tbody,#results tbody tr:not([hidden]),#results td{display:block}#results thead tr{display:flex;flex-wrap:wrap;gap:.2rem .9rem;border-bottom:1px solid var(--line);padding-bottom:.3rem}#results th{border:0;padding:0;text-decoration:underline}
#results tbody tr{border-bottom:1px solid var(--line);padding:.5rem 0}#results td{border:0;padding:.1rem 0 .1rem 9.5rem;position:relative;text-align:left;white-space:normal}#results td::before{content:attr(data-l);position:absolute;left:0;width:9rem;color:var(--dim)}
#results td:empty{display:none}#results td:first-child{position:static;padding-left:0;font-weight:600}#results td:first-child::before{content:none}}
@media print{.tools,.wide.more::before{display:none}body{max-width:none;padding:0;font-size:11pt}h2,h3{break-after:avoid}details,tr,figure,.finding{break-inside:avoid}details[open]{break-inside:auto}details:not([open]){display:none}h2.cases:not(:has(~details[id][open],~div>details[open])){display:none}.wide{overflow:visible;background:none}}
)css";

const char* const kPageScript = R"js(
"use strict";
(function () {
  // Of many rows and cases most are appended once the page is shown, and what is folded in a case is parsed when it is opened.
  var folded = {};
  var kept = Array.prototype.map.call(document.querySelectorAll("script[type='text/html']"), function (script) {
    var one = { into: script.parentNode, parts: script.textContent.split("<hr>"), next: 0 };
    script.remove();
    return one;
  });
  var append = function (most) {
    kept = kept.filter(function (one) {
      var html = "";
      one.parts.slice(one.next, one.next + most).forEach(function (part) {
        var end = part.indexOf("</details>");
        html += end < 0 ? part : part.slice(0, end);
        if (end >= 0) folded[/ id="(\w+)"/.exec(part)[1]] = part.slice(end + "</details>".length);
      });
      one.into.insertAdjacentHTML("beforeend", html);
      one.next += most;
      return one.next < one.parts.length;
    });
  };
  var appendMore = function (most) {
    append(most);
    if (kept.length) setTimeout(appendMore, 20, 2 * most);  // a table is laid out as a whole each time
  };
  window.addEventListener("load", function () { setTimeout(appendMore, 100, 1000); });
  var table = document.getElementById("results");
  if (table) {
    var body = table.tBodies[0], rows = [], words = [];
    var text = document.getElementById("filter"), outcome = document.getElementById("outcome"), count = document.getElementById("count");
    var all = kept.filter(function (one) { return one.into === body; }).reduce(function (sum, one) { return sum + one.parts.length; }, body.rows.length);
    count.textContent = all + " of " + all;
    var takeRows = function () {
      append(Infinity);
      if (rows.length) return;
      rows = Array.prototype.slice.call(body.rows);
      words = rows.map(function (row) { return row.textContent.toLowerCase(); });
    };
    var show = function () {
      var wanted = text.value.toLowerCase().split(/\s+/), shown = 0;
      takeRows();
      rows.forEach(function (row, i) {
        var fits = (!outcome.value || row.getAttribute("data-outcome") === outcome.value) &&
          wanted.every(function (word) { return words[i].indexOf(word) >= 0; });
        row.hidden = !fits;
        if (fits) shown += 1;
      });
      count.textContent = shown + " of " + rows.length;
    };
    text.addEventListener("input", show);
    outcome.addEventListener("change", show);
    if (text.value || outcome.value) show();  // a browser that comes back to the page has kept them
    var heads = Array.prototype.slice.call(table.tHead.rows[0].cells);
    heads.forEach(function (head, column) {
      head.querySelector("button").addEventListener("click", function () {
        takeRows();
        var up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        var key = function (row) {
          var cell = row.cells[column], value = cell.getAttribute("data-v");
          return value === null ? cell.textContent : value === "" ? NaN : Number(value);
        };
        var order = rows.map(function (row, i) { return { row: row, key: key(row), at: i }; });
        order.sort(function (a, b) {
          var less;
          if (typeof a.key === "number") {
            if (isNaN(a.key) || isNaN(b.key)) return (isNaN(a.key) ? 1 : 0) - (isNaN(b.key) ? 1 : 0) || a.at - b.at;
            less = a.key - b.key;
          } else {
            less = a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
          }
          return (up ? less : -less) || a.at - b.at;
        });
        order.forEach(function (entry) { body.appendChild(entry.row); });
      });
    });
  }
  // Where a table or a picture is wider than there is room for, its box says so.
  var boxes = Array.prototype.slice.call(document.querySelectorAll(".wide"));
  var watch = new ResizeObserver(function (entries) {
    entries.forEach(function (entry) {
      var box = entry.target;
      box.classList.toggle("more", box.scrollWidth > box.clientWidth + 1);
    });
  });
  boxes.forEach(function (box) { watch.observe(box); });
  document.addEventListener("toggle", function (event) {
    var html = folded[event.target.id];
    if (!html) return;
    delete folded[event.target.id];
    event.target.insertAdjacentHTML("beforeend", html);
    event.target.querySelectorAll(".wide").forEach(function (box) { watch.observe(box); });
  }, true);
  var open = function () {
    if (!location.hash) return;
    if (!document.getElementById(location.hash.slice(1))) append(Infinity);
    var target = document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") target.open = true;
  };
  window.addEventListener("hashchange", open);
  open();
})();
)js";

const char* const kPageStyleHash = "sha256-t5xtUz+3/pzobt31wvt8B0+bGVh10OrAuhWapxLP6HI=";
const char* const kPageScriptHash = "sha256-ipyGpaCdv677mfPvr6RxFkcf2MB9NOuPzSwUBhSvj9k=";

}  // namespace assay::reporters
