/** The number of states for each path and number of pieces: the exact count and the closed forms. */

import * as api from "./api.js";
import { lineChart, wholeTicks } from "./chart.js";
import { $, fill, grouped, h, say } from "./dom.js";
import { conventionName, formsTable, power, redrawn } from "./values.js";

const EXACT = "tile-polynomial";
const MOST = 20;

/**
 * Return the decimal logarithm of an integer of any size, written as a string.
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
  let entered = ""; // the page's path and pieces when the view was last opened
  let pieces = 7;
  let other = "binomial";
  let counts = null; // the answer of /api/counts
  let request = null;

  async function load() {
    request?.abort();
    request = new AbortController();
    const most = Math.min(MOST, app.catalogue.most_counts);
    counts = await api.get("counts", { path, pieces: `1..${most}` }, request.signal);
    pieces = Math.min(pieces, most);
    draw();
  }

  function draw() {
    if (app.state.view !== "counts" || !counts) return;
    const row = counts.rows.find((r) => r.pieces === pieces);
    const chosen = app.catalogue.paths.find((p) => p.name === path);
    redrawn($("panel"), () => fill($("panel"),
      h("section", { class: "card", "aria-labelledby": "h-counts" },
        h("h2", { id: "h-counts" }, "Number of configurations"),
        h("p", { class: "printonly" }, `${path}, ${pieces} pieces per player`),
        h("div", { class: "form noprint" },
          h("label", {}, "Path", h("select", { "data-key": "path", onchange: (event) => {
            path = event.target.value;
            app.run(load);
          } }, app.catalogue.paths.map((p) => h("option", { value: p.name, selected: p.name === path }, p.name)))),
          h("label", {}, h("span", { id: "counted" }, `Pieces per player: ${pieces}`), h("input", {
            type: "range", min: 1, max: counts.pieces.at(-1), value: pieces, "data-key": "pieces", "aria-valuetext": `${pieces} pieces`,
            oninput: (event) => {
              // While the slider is dragged, nothing is redrawn: a new slider would end the drag.
              pieces = Number(event.target.value);
              const now = counts.rows.find((r) => r.pieces === pieces);
              $("counted").textContent = `Pieces per player: ${pieces}`;
              $("count").textContent = grouped(now.forms[EXACT]);
            },
            onchange: () => {
              draw();
              say(`${pieces} pieces: ${counts.rows.find((r) => r.pieces === pieces).forms[EXACT]} configurations`);
            },
          }))),
        h("p", { class: "soft" }, chosen?.about ?? ""),
        h("p", { class: "big", id: "count" }, grouped(row.forms[EXACT])),
        h("p", { class: "soft" }, "configurations of both players\u2019 pieces (exact), about 10", h("sup", {}, log10(row.forms[EXACT]).toFixed(1)), rankingText(row))),
      h("div", { class: "columns" },
        h("div", { class: "panel" }, curve(), h("section", { class: "card", "aria-labelledby": "h-conventions" },
          h("h2", { id: "h-conventions" }, "States by convention"),
          h("dl", { class: "facts" }, Object.entries(row.conventions ?? {}).map(([name, n]) => [h("dt", {}, conventionName(name)), h("dd", {}, grouped(n))])))),
        h("section", { class: "card", "aria-labelledby": "h-forms" },
          h("h2", { id: "h-forms" }, "Closed forms"), formsTable(row, counts.exactness)))));
  }

  function curve() {
    const line = (form) => counts.rows.filter((r) => /^[1-9]\d*$/.test(r.forms[form] ?? "")).map((r) => [r.pieces, log10(r.forms[form])]);
    const exact = line(EXACT);
    const compared = line(other);
    const high = Math.ceil(Math.max(...[...exact, ...compared].map(([, v]) => v)));
    const last = counts.pieces.at(-1);
    const now = exact.find(([n]) => n === pieces);
    return h("section", { class: "card", "aria-labelledby": "h-curve" },
      h("h2", { id: "h-curve" }, "Growth with the number of pieces"),
      lineChart({
        label: `Number of configurations from 1 to ${last} pieces, on a logarithmic scale up to 10 to the power of ${high}`,
        series: [{ name: EXACT, kind: "first", points: exact }, { name: other, kind: "second", points: compared }],
        x: [1, last], y: [0, high], ticksX: wholeTicks(1, last, 10), ticksY: wholeTicks(0, high, 7).map((t) => ({ at: t.at, text: power(t.at) })),
        titleX: "pieces per player", at: pieces, marks: now ? [{ x: now[0], y: now[1], kind: "at", title: `${pieces} pieces` }] : [],
        height: 320, onPick: (n) => {
          pieces = n;
          draw();
        },
      }),
      h("p", { class: "legend" }, h("span", {}, h("span", { class: "line-key", "aria-hidden": "true" }), " exact"),
        h("label", {}, h("span", { class: "line-key dashed", "aria-hidden": "true" }), " compared with ", h("span", { class: "printonly" }, other), h("select", { class: "noprint", "data-key": "other", onchange: (event) => {
          other = event.target.value;
          draw();
        } }, Object.keys(counts.exactness).filter((n) => n !== EXACT).map((n) => h("option", { value: n, selected: n === other }, n))))));
  }

  async function enter() {
    const { path: current } = app.geometry;
    const now = `${current} ${app.state.pieces}`;
    if (entered === now && counts) {
      draw();
      return;
    }
    entered = now;
    path = current;
    pieces = app.state.pieces;
    await load();
  }

  return { enter, refresh: load, leave: () => request?.abort() };
}

/** Compare the count with the size of the ranking, which numbers all states one by one. */
function rankingText({ ranked: size, forms }) {
  if (size === null) return ".";
  return size === forms[EXACT] ? ". The ranking, which numbers them one by one, has the same size." : `. The ranking has ${grouped(size)} numbers.`;
}
