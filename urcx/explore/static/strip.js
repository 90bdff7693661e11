/**
 * The luck strip: each roll is a column, as wide as it is likely and as high as the win probability after it.
 *
 * The line across is the win probability before the roll. It is the mean of the columns, except for estimates, so the
 * columns above the line have the same area as the columns below it.
 */

import { h, percent } from "./dom.js";

const layouts = new WeakMap(); // by strip, the function that places its parts
const observer = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) if (contentRect.width) layouts.get(target)(contentRect.width);
});
const LINE = 14; // pixels from a line of text to the next
const GAP = 3; // pixels between two texts
const TOUCH = 44; // the least width of a target on a touch screen, if there is room
const STEPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]; // between lines of the scale
const PHONE = "(max-width: 560px)";
const LOW = "(max-height: 700px)";

/**
 * Draw the luck strip. It has the width of its container. Without win probabilities all columns have the same height.
 * @param {object} options
 * @param {number|null} options.before the win probability of the player to move, before the roll
 * @param {object[]} options.rolls the rolls as in /api/view
 * @param {string} options.side the player to move
 * @param {number|null} [options.roll] the chosen roll, whose column is outlined
 * @param {number|null} [options.played] the win probability after the move that was played, marked in that column
 * @param {(roll: number) => void} [options.onPick] called with the roll of a click; without it there are no buttons
 * @param {(roll: number|null) => void} [options.onPoint] called with the roll under the pointer or focus
 * @param {boolean} [options.small] whether to leave out probabilities and moves
 * @param {number} [options.digits] decimals of a percentage
 * @param {boolean} [options.near] whether the win probabilities are estimates
 * @returns {SVGElement}
 */
export function luckStrip({ before, rolls, side, roll = null, played = null, onPick, onPoint = () => {}, small = false, digits = 1, near = false }) {
  const sign = near ? "\u2248" : "";
  const rated = typeof before === "number";
  const words = rolls.map((row) => described(row, rated, sign, Math.max(digits, 1)));
  const strip = h("svg", {
    class: small ? "strip small" : "strip", "data-before": before, role: onPick ? "group" : "img",
    "aria-label": onPick ? "Roll" : `Win probabilities of ${side} by roll: ${words.join("; ")}`,
  });
  const columns = rolls.map((row, k) => {
    const parts = {
      row,
      over: rated && row.value >= before,
      hit: h("rect", { class: "hit", y: 0 }), // the target, which may be wider than the column
      back: h("rect", { class: "back", y: 0 }),
      bar: h("rect", { class: `column ${!rated ? "even" : row.value >= before ? "over" : "under"}` }),
      texts: { roll: h("text", { class: "roll" }), value: h("text", {}), chance: h("text", { class: "soft" }), move: h("text", { class: "soft" }) },
    };
    const { hit, back, bar } = parts;
    const button = onPick ? {
      role: "button", tabindex: 0, "aria-pressed": String(row.roll === roll), "aria-label": words[k], "data-key": `roll-${row.roll}`,
      onclick: () => onPick(row.roll),
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        onPick(row.roll);
      },
      onpointerenter: () => onPoint(row.roll), onpointerleave: () => onPoint(null),
      onfocus: () => onPoint(row.roll), onblur: () => onPoint(null),
    } : {};
    parts.group = h("g", {
      class: roll !== null && row.roll !== roll ? "other" : null, "data-probability": row.chance_decimal, "data-value": row.value, ...button,
    }, h("title", {}, words[k]), hit, back, bar);
    return parts;
  });
  const [scale, extra] = [h("g"), h("g", { "pointer-events": "none" })];
  // The texts are above all columns, because those of narrow columns reach into their neighbours.
  const labels = h("g", { "aria-hidden": "true", "pointer-events": "none" }, columns.map(({ texts }) => Object.values(texts)));
  strip.append(scale, ...columns.map(({ group }) => group), extra, labels);

  const values = rated ? [before, ...rolls.map(({ value }) => value), ...(played === null ? [] : [played])] : [0, 1];
  const middle = (Math.max(...values) + Math.min(...values)) / 2;
  const half = Math.max(Math.max(...values) - middle, 0.005); // or differences of rounding would fill the strip
  const [low, high] = [middle - half, middle + half];

  /** Place all parts for a width in pixels. */
  function layout(width) {
    const phone = matchMedia(PHONE).matches;
    const brief = small || (phone && roll !== null); // the table of moves has the rest
    const plot = !rated ? 16 : small ? 52 : brief ? 36 : phone || matchMedia(LOW).matches ? 56 : 112;
    const top = rated ? LINE + 2 : 2;
    const foot = top + plot + (rated ? LINE + 4 : 0);
    const height = foot + LINE * (brief ? 1 : rated ? 3 : 2) + 2;
    strip.setAttribute("viewBox", `0 0 ${width} ${height}`);
    scale.replaceChildren();
    extra.replaceChildren();
    const boxes = []; // of all texts that are placed
    const free = (box, others, gap) => others.every((b) => box.x >= b.x + b.width + gap || b.x >= box.x + box.width + gap || box.y >= b.y + b.height || b.y >= box.y + box.height);
    /** Write a text at the first spot without an overlap, or leave it out. */
    function place(text, content, spots, bars = [], most = Infinity) {
      text.textContent = content;
      if (!content && content !== 0) return;
      const fits = spots.some(([x, y, anchor = "middle"]) => {
        change(text, { x, y, "text-anchor": anchor });
        const { x: left, y: upper, width: across, height: down } = text.getBBox();
        const inside = Math.max(Math.min(left, width - across), 0);
        text.setAttribute("x", x + inside - left);
        // The box of a line of text is higher than its letters.
        const box = { x: inside, y: upper + down / 8, width: across, height: (down * 3) / 4 };
        if (across > most || !free(box, boxes, GAP) || !free(box, bars, 0)) return false;
        boxes.push(box);
        return true;
      });
      if (!fits) text.textContent = "";
    }

    const y = (value) => top + ((high - value) / (high - low)) * plot;
    let left = 0;
    if (rated) {
      const label = h("text", { class: "before" });
      extra.append(label);
      label.textContent = `${sign}${percent(before, 1)}`;
      left = label.getBBox().width + 8;
      place(label, label.textContent, [[left - 8, y(before) + 4, "end"]]);
    }
    const step = STEPS.find((s) => (high - low) / s <= 3.5) ?? 1;
    for (let k = Math.ceil(low / step); rated && !small && k * step <= high; k += 1) {
      const text = h("text", { class: "scale" });
      scale.append(text);
      place(text, percent(k * step, step < 0.01 ? 1 : 0), [[left - 8, y(k * step) + 4, "end"]]);
      scale.append(h("line", { class: "scale", x1: left, x2: width, y1: y(k * step), y2: y(k * step) }));
    }
    if (rated) extra.append(h("line", { class: "before", x1: left - 4, x2: width, y1: y(before), y2: y(before) }));

    // Rounding errors of the probabilities must not lead out of the drawing.
    const total = rolls.reduce((sum, r) => sum + r.chance_decimal, 0);
    let at = left;
    for (const column of columns) {
      const { row, back, bar } = column;
      const across = ((width - left) * row.chance_decimal) / total;
      const edges = rated ? [y(Math.max(row.value, before)), y(Math.min(row.value, before))] : [top, top + plot];
      Object.assign(column, { x: at, width: across, box: { x: at, y: edges[0], width: across, height: edges[1] - edges[0] } });
      change(bar, column.box);
      change(back, { x: at, width: across, height });
      at += across;
      if (row.roll !== roll) continue;
      extra.append(h("rect", { class: "chosen", ...column.box }));
      if (played !== null) extra.append(h("line", { class: "played", x1: column.x - 3, x2: at + 3, y1: y(played), y2: y(played) }));
    }
    targets(columns, width, height);

    const bars = columns.map(({ box }) => box);
    const thrown = columns.find(({ row }) => row.roll === roll);
    if (played !== null && thrown) bars.push({ x: thrown.x, y: y(played) - 2, width: thrown.width, height: 4 });
    const wide = columns.toSorted((a, b) => b.width - a.width);
    const each = (draw, order = wide) => order.forEach((column) => draw(column, column.x + column.width / 2));
    each(({ row, texts }, x) => place(texts.roll, row.roll, [[x, foot + LINE - 3]]));
    if (rated) {
      each(({ row, texts, over, box }, x) => {
        const lines = [0, 1, 2, 3, 4].map((k) => (over ? box.y - 4 - k * LINE : box.y + box.height + 12 + k * LINE)).filter((v) => v > 10 && v < foot);
        place(texts.value, sign + percent(row.value, 1).slice(0, -2), lines.flatMap((v) => [[x, v], [box.x + box.width, v, "end"], [box.x, v, "start"]]), bars);
      }, columns.toSorted((a, b) => b.box.height - a.box.height));
    }
    each(({ row, texts }, x) => place(texts.chance, brief ? "" : row.chance, [[x, foot + 2 * LINE - 2]]));
    each(({ row, texts, width: most }, x) => place(texts.move, brief || !rated ? "" : short(row.moves[0]), [[x, foot + 3 * LINE - 2]], [], most + 4));
  }

  let last = 0;
  layouts.set(strip, (width) => {
    if (width === last) return;
    last = width;
    layout(width);
  });
  observer.observe(strip);
  return strip;
}

/** Extend the targets of narrow columns, on touch screens into their neighbours too. */
function targets(columns, width, height) {
  const least = matchMedia("(pointer: coarse)").matches ? Math.min(TOUCH, width / columns.length) : 0;
  const edges = [0, ...columns.slice(1).map(({ x }) => x), width];
  for (let k = 1; k < columns.length; k += 1) edges[k] = Math.max(edges[k], edges[k - 1] + least);
  for (let k = columns.length - 1; k > 0; k -= 1) edges[k] = Math.min(edges[k], edges[k + 1] - least);
  columns.forEach(({ hit }, k) => change(hit, { x: edges[k], width: edges[k + 1] - edges[k], height }));
}

/** Set attributes of an element. */
function change(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

/** Describe a roll in words. */
function described({ roll, chance, value, moves }, rated, sign, digits) {
  const values = rated ? `, win probability ${sign}${percent(value, digits)}, best ${moves[0].words}` : "";
  return `Roll ${roll}, probability ${chance}${values}`;
}

/** Write a move in a few letters, with the marks of a capture and of a rosette. */
const short = ({ pass, words, captures, rosette }) =>
  (pass ? "pass" : `${words.split(",")[0]}${captures ? " \u00d7" : ""}${rosette ? " \u2731" : ""}`);
