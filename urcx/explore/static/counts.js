/** How many states there are: every path, every number of pieces, the forms beside the exact count. */

import * as api from "./api.js";
import { lineChart, wholeTicks } from "./chart.js";
import { $, fill, grouped, h, say } from "./dom.js";
import { formsTable, power, redrawn } from "./values.js";

const EXACT = "tile-polynomial";
const MOST = 20;

/**
 * The logarithm of a whole number of any size, given as text.
 * @param {string} count
 * @returns {number}
 */
export function log10(count) {
  return Math.log10(Number(`0.${count.slice(0, 15)}`)) + count.length;
}

/**
 * Make the view.
 * @param {object} app
 * @returns {object}
 */
export function countsView(app) {
  let path = null;
  let entered = ""; // the path and pieces of the page when this was entered last
  let pieces = 7;
  let other = "binomial";
  let found = null; // the answer of /api/counts
  let asking = null;

  async function load() {
    asking?.abort();
    asking = new AbortController();
    const most = Math.min(MOST, app.catalogue.most_counts);
    found = await api.get("counts", { path, pieces: `1..${most}` }, asking.signal);
    pieces = Math.min(pieces, most);
    draw();
  }

  function draw() {
    if (app.state.view !== "counts" || !found) return;
    const row = found.rows.find((r) => r.pieces === pieces);
    const chosen = app.catalogue.paths.find((p) => p.name === path);
    redrawn($("panel"), () => fill($("panel"),
      h("section", { class: "card", "aria-labelledby": "h-counts" },
        h("h2", { id: "h-counts" }, "How many states there are"),
        h("p", { class: "printonly" }, `${path}, ${pieces} pieces a side`),
        h("div", { class: "form noprint" },
          h("label", {}, "Path", h("select", { "data-key": "path", onchange: (event) => {
            path = event.target.value;
            app.run(load);
          } }, app.catalogue.paths.map((p) => h("option", { value: p.name, selected: p.name === path }, p.name)))),
          h("label", {}, h("span", { id: "counted" }, `Pieces a side: ${pieces}`), h("input", {
            type: "range", min: 1, max: found.pieces.at(-1), value: pieces, "data-key": "pieces", "aria-valuetext": `${pieces} pieces`,
            oninput: (event) => {
              // The slider stays while it is dragged; a new one would end the drag.
              pieces = Number(event.target.value);
              const now = found.rows.find((r) => r.pieces === pieces);
              $("counted").textContent = `Pieces a side: ${pieces}`;
              $("count").textContent = grouped(now.forms[EXACT]);
            },
            onchange: () => {
              draw();
              say(`${pieces} pieces: ${found.rows.find((r) => r.pieces === pieces).forms[EXACT]} diagrams`);
            },
          }))),
        h("p", { class: "soft" }, chosen?.about ?? ""),
        h("p", { class: "big", id: "count" }, grouped(row.forms[EXACT])),
        h("p", { class: "soft" }, "diagrams of both players\u2019 pieces, about 10", h("sup", {}, log10(row.forms[EXACT]).toFixed(1)), ranked(row))),
      h("div", { class: "columns" },
        h("div", { class: "panel" }, curve(), h("section", { class: "card", "aria-labelledby": "h-conventions" },
          h("h2", { id: "h-conventions" }, "What is counted"),
          h("dl", { class: "facts" }, Object.entries(row.conventions ?? {}).map(([name, n]) => [h("dt", {}, name), h("dd", {}, grouped(n))])))),
        h("section", { class: "card", "aria-labelledby": "h-forms" },
          h("h2", { id: "h-forms" }, "Closed forms"), formsTable(row, found.exactness)))));
  }

  function curve() {
    const line = (form) => found.rows.filter((r) => /^[1-9]\d*$/.test(r.forms[form] ?? "")).map((r) => [r.pieces, log10(r.forms[form])]);
    const exact = line(EXACT);
    const compared = line(other);
    const high = Math.ceil(Math.max(...[...exact, ...compared].map(([, v]) => v)));
    const last = found.pieces.at(-1);
    const now = exact.find(([n]) => n === pieces);
    return h("section", { class: "card", "aria-labelledby": "h-curve" },
      h("h2", { id: "h-curve" }, "Growth with the number of pieces"),
      lineChart({
        label: `Number of diagrams from 1 to ${last} pieces, on a logarithmic scale, up to 10 to the ${high}`,
        series: [{ name: EXACT, kind: "first", points: exact }, { name: other, kind: "second", points: compared }],
        x: [1, last], y: [0, high], ticksX: wholeTicks(1, last, 10), ticksY: wholeTicks(0, high, 7).map((t) => ({ at: t.at, text: power(t.at) })),
        titleX: "pieces a side", at: pieces, marks: now ? [{ x: now[0], y: now[1], kind: "at", said: `${pieces} pieces` }] : [],
        height: 320, onPick: (n) => {
          pieces = n;
          draw();
        },
      }),
      h("p", { class: "legend" }, h("span", {}, h("span", { class: "line-key", "aria-hidden": "true" }), " exact"),
        h("label", {}, h("span", { class: "line-key dashed", "aria-hidden": "true" }), " compared with ", h("span", { class: "printonly" }, other), h("select", { class: "noprint", "data-key": "other", onchange: (event) => {
          other = event.target.value;
          draw();
        } }, Object.keys(found.exactness).filter((n) => n !== EXACT).map((n) => h("option", { value: n, selected: n === other }, n))))));
  }

  async function enter() {
    const { path: own } = app.geometry;
    const now = `${own} ${app.state.pieces}`;
    if (entered === now && found) {
      draw();
      return;
    }
    entered = now;
    path = own;
    pieces = app.state.pieces;
    await load();
  }

  return { enter, refresh: load, leave: () => asking?.abort() };
}

/** What the ranking, which numbers the states one by one, says of the count. */
function ranked({ ranked: size, forms }) {
  if (size === null) return ".";
  return size === forms[EXACT] ? "; a ranking that numbers them one by one has the same size." : `; the ranking has ${grouped(size)}.`;
}
