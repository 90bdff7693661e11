/** Charts as SVG: counts by number of pieces, and win probabilities by ply. */

import { h } from "./dom.js";

const LETTER = 8.6; // the approximate width of a letter at an axis
const RIGHT = 12;
const TOP = 14;
const BOTTOM = 44;

/**
 * Draw a line chart.
 * @param {object} options
 * @param {string} options.label the description for screen readers
 * @param {{name: string, kind: string, points: [number, number][]}[]} options.series
 * @param {[number, number]} options.x the horizontal range
 * @param {[number, number]} options.y the vertical range
 * @param {{at: number, text: string}[]} options.ticksX
 * @param {{at: number, text: string}[]} options.ticksY
 * @param {string} options.titleX
 * @param {number|null} [options.at] the place of the vertical line
 * @param {{x: number, y: number, kind: string, title: string}[]} [options.marks]
 * @param {(x: number) => void} [options.onPick] called with the place of a click
 * @param {number} [options.height]
 * @returns {SVGElement}
 */
export function lineChart({ label, series, x, y, ticksX, ticksY, titleX, at = null, marks = [], onPick, height = 260 }) {
  // On narrow pages the drawing is narrow too, because scaling would shrink its letters.
  const W = matchMedia("(max-width: 560px)").matches ? 380 : 640;
  const left = 14 + LETTER * Math.max(4, ...ticksY.map((tick) => tick.text.length));
  const across = (v) => left + ((v - x[0]) / (x[1] - x[0] || 1)) * (W - left - RIGHT);
  const up = (v) => height - BOTTOM - ((v - y[0]) / (y[1] - y[0] || 1)) * (height - TOP - BOTTOM);
  const chart = h("svg", { class: "chart", viewBox: `0 0 ${W} ${height}`, role: "img", "aria-label": label });
  for (const tick of ticksY) {
    chart.append(
      h("line", { class: "grid", x1: left, x2: W - RIGHT, y1: up(tick.at), y2: up(tick.at) }),
      h("text", { class: "tick", x: left - 8, y: up(tick.at) + 5, "text-anchor": "end" }, tick.text),
    );
  }
  for (const tick of ticksX) {
    chart.append(h("text", { class: "tick", x: across(tick.at), y: height - BOTTOM + 18, "text-anchor": "middle" }, tick.text));
  }
  chart.append(h("text", { class: "tick", x: W - RIGHT, y: height - 4, "text-anchor": "end" }, titleX));
  if (at !== null) chart.append(h("line", { class: "cursor", x1: across(at), x2: across(at), y1: TOP, y2: height - BOTTOM }));
  for (const { name, kind, points } of series) {
    const line = points.map(([a, b]) => `${across(a).toFixed(1)},${up(b).toFixed(1)}`).join(" ");
    chart.append(h("polyline", { class: `line ${kind}`, points: line }, h("title", {}, name)));
  }
  for (const mark of marks) {
    chart.append(h("circle", { class: `mark ${mark.kind}`, cx: across(mark.x), cy: up(mark.y), r: 5 }, h("title", {}, mark.title)));
  }
  if (onPick) {
    chart.classList.add("pick");
    chart.addEventListener("click", (event) => {
      const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
      const value = x[0] + ((point.x - left) / (W - left - RIGHT)) * (x[1] - x[0]);
      onPick(Math.max(x[0], Math.min(x[1], Math.round(value))));
    });
  }
  return chart;
}

/**
 * Return integers to write at an axis, about `most` of them.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 * @returns {{at: number, text: string}[]}
 */
export function wholeTicks(low, high, most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((s) => (high - low) / s <= most) ?? 5000;
  const ticks = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) ticks.push({ at: v, text: String(v) });
  return ticks;
}

/**
 * Draw light's win probability by ply as a filled curve, which is also a slider over the plies.
 * @param {object} options
 * @param {string} options.label
 * @param {number[]} options.values light's win probability at the start and after each ply
 * @param {{ply: number, kind: string, title: string}[]} options.marks
 * @param {(ply: number, dragged: boolean) => void} options.onPick
 * @returns {{element: SVGElement, show: (ply: number, text: string) => void}}
 */
export function plyCurve({ label, values, marks, onPick }) {
  const last = values.length - 1;
  const down = (ply) => (1 - values[ply]).toFixed(4);
  const cursor = h("line", { class: "cursor", y1: 0, y2: 1 });
  const element = h("svg", {
    class: "curve", viewBox: `0 0 ${last} 1`, preserveAspectRatio: "none", role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": 0, "aria-valuemax": last, "data-key": "ply",
    onpointerdown: (event) => {
      element.setPointerCapture(event.pointerId);
      pick(event, true);
    },
    onpointermove: (event) => element.hasPointerCapture(event.pointerId) && pick(event, true),
    onpointerup: (event) => element.hasPointerCapture(event.pointerId) && pick(event, false),
    onpointercancel: () => onPick(Number(element.getAttribute("aria-valuenow")), false), // the page scrolls instead
  },
  h("polyline", { class: "filled", points: `0,1 ${values.map((_, ply) => `${ply},${down(ply)}`).join(" ")} ${last},1` }),
  h("line", { class: "half", x1: 0, x2: last, y1: 0.5, y2: 0.5 }),
  cursor,
  // A line without a length has round ends, which the stretched drawing does not make oval.
  marks.map(({ ply, kind, title }) => h("path", { class: `dot ${kind}`, d: `M${ply} ${down(ply)}h0` }, h("title", {}, title))));
  function pick(event, dragged) {
    const { left, width } = element.getBoundingClientRect();
    onPick(Math.max(0, Math.min(last, Math.round(((event.clientX - left) / width) * last))), dragged);
  }
  return {
    element,
    show(ply, text) {
      const x = Math.min(ply, last);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      element.setAttribute("aria-valuenow", x);
      element.setAttribute("aria-valuetext", text);
    },
  };
}
