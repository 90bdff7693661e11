/** The values of a position: the bar, the rolls, the moves, best first, and their source. */

import { grouped, h, percent, points } from "./dom.js";

const TYPED = "input[type=text][data-key], textarea[data-key]";
const MOST_DIGITS = 18; // of a count in a table
const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

/**
 * Write a power of ten.
 * @param {number} exponent
 * @returns {string}
 */
export const power = (exponent) =>
  `10${exponent < 0 ? "\u207b" : ""}${[...String(Math.abs(exponent))].map((digit) => RAISED[digit]).join("")}`;

/**
 * Write how sure values are: exact, or proven with an error bound.
 * @param {number} bound
 * @returns {string} such as proven, ± 4.8e-13
 */
export const certainty = (bound) => (bound === 0 ? "exact" : `proven, \u00b1\u00a0${bound.toExponential(1)}`);

/**
 * Write the name of a convention with the words of the page, where the API has diagrams and mover-view.
 * @param {string} name
 * @returns {string}
 */
export const conventionName = (name) =>
  name.replace("diagrams", "configurations").replace(/mover[- ]views?/, "canonical views");

/**
 * Return the bar that shows both players' win probabilities.
 * @param {number|null} light light's win probability
 * @param {number} [digits] decimals of a percentage
 * @returns {Element|null}
 */
export function chanceBar(light, digits = 2) {
  if (light === null || light === undefined) return null;
  const filled = h("span");
  filled.style.width = `${100 * light}%`;
  const label = `Win probability: light ${percent(light, digits)}, dark ${percent(1 - light, digits)}`;
  return h("div", { class: "bar", role: "img", "aria-label": label }, filled);
}

/**
 * Return light's win probability in an answer of /api/view: after the roll, if there is one.
 * @param {object} view
 * @param {number|null} roll
 * @returns {number|null}
 */
export function lightsChance(view, roll) {
  const value = view.rolls.find((r) => r.roll === roll)?.value;
  if (typeof value !== "number") return view.light_value;
  return view.to_move === "light" ? value : 1 - value;
}

/**
 * Return which binary dice of a roll have a marked corner up. In some rule sets, three dice without a mark count as four.
 * @param {object[]} rolls as in /api/board
 * @param {number|null} roll null before the dice are rolled: no marks
 * @returns {boolean[]|null} null for other dice
 */
export function diceMarks(rolls, roll) {
  const chances = rolls.map((r) => r.chance_decimal);
  const number = Math.round(-Math.log2(Math.min(...chances)));
  const ways = (k) => (k ? (ways(k - 1) * (number - k + 1)) / k : 1);
  const marked = ({ roll: count, chance_decimal: chance }) =>
    (count > number && chance * 2 ** number === 1 ? 0 : chance * 2 ** number === ways(count) ? count : null);
  if (rolls.length !== number + 1 || rolls.some((r) => marked(r) === null)) return null;
  const up = roll === null ? -1 : marked(rolls.find((r) => r.roll === roll));
  return Array.from({ length: number }, (_, k) => k < up);
}

/**
 * Draw a roll of binary dice: tetrahedra with marked and unmarked upper corners. Other dice have no drawing.
 * @param {object[]} rolls as in /api/board
 * @param {number} roll
 * @returns {Element|null}
 */
export function diceDrawn(rolls, roll) {
  const marks = diceMarks(rolls, roll);
  return marks && h("span", { class: "dice", "aria-hidden": "true" }, marks.map((mark) => h("svg", { viewBox: "0 0 24 22" },
    h("path", { class: "die-side", d: "M12 1 23 20H1Z" }),
    mark ? h("circle", { class: "die-mark", cx: 12, cy: 13.5, r: 4.5 }) : h("path", { class: "die-edge", d: "M12 1V13.5L1 20M12 13.5 23 20" }))));
}

/**
 * Write the source of win probabilities, and how sure they are.
 * @param {object} view the answer of /api/view
 * @returns {string}
 */
export function source(view) {
  const { values, value, lower, upper } = view;
  const from = `Win probabilities ${values.source === "tablebase" ? `from the tablebase ${values.file}` : "solved in memory"}`;
  if (lower === null) return `${from} (no bound is proven).`;
  return `${from} (${certainty(value === lower && value === upper ? 0 : values.bound)}).`;
}

/**
 * Write the moves that agents would play, by their numbers in the table.
 * @param {object[]} moves
 * @returns {string} such as greedy plays 2; empty without a decision
 */
export function agentsPlay(moves) {
  if (moves.length < 2) return "";
  return Object.keys(moves[0].plays).map((name) => {
    const numbers = moves.flatMap(({ plays }, k) => ({ 0: [], 1: [k + 1] }[plays[name]] ?? [`${k + 1} (${plays[name]})`]));
    return `${name} plays ${numbers.join(", ")}`;
  }).join(" \u00b7 ");
}

/**
 * Return the table of the moves of one roll, or of all rolls, best first.
 * @param {object[]} rolls as in /api/view
 * @param {object} options
 * @param {(move: object, roll: number) => void} options.play
 * @param {(move: object|null) => void} [options.point] called for the move under the pointer or focus
 * @param {boolean} [options.rated] whether there are win probabilities
 * @param {number} [options.digits] decimals of a percentage
 * @returns {Element}
 */
export function movesTable(rolls, { play, point = () => {}, rated = true, digits = 2 }) {
  const several = rolls.length > 1;
  const body = rolls.map(({ roll, chance, value, moves }) => h("tbody", {},
    several ? h("tr", { class: "group" }, h("th", { colspan: rated ? 4 : 2, scope: "rowgroup" },
      `Roll ${roll} `, h("span", { class: "chip" }, chance), rated && value !== null ? h("span", { class: "soft" }, ` ${percent(value, digits)}`) : null, h("span", { class: "players" }, agentsPlay(moves)))) : null,
    moves.map((move, k) => h("tr", {
      class: move.best && rated ? "best" : null,
      onpointerenter: several ? null : () => point(move),
      onpointerleave: several ? null : () => point(null),
    },
    h("td", { class: "soft" }, k + 1),
    h("td", { class: "text" },
      h("button", {
        type: "button", "data-key": `move-${roll}-${move.from ?? "pass"}`, onclick: () => play(move, roll),
        onfocus: several ? null : () => point(move), onblur: several ? null : () => point(null),
      }, move.pass ? "pass" : move.words)),
    rated ? h("td", { class: "nowrap" }, percent(move.value, digits)) : null,
    rated ? h("td", { class: "nowrap" }, move.regret > 0 ? h("span", { class: "bad" }, points(moves[0].value, move.value, digits)) : h("span", { class: "good" }, moves.length > 1 ? "best" : "only")) : null))));
  return h("div", { class: "scroll play-moves", tabindex: "0", role: "region", "aria-label": "Moves" },
    h("table", {},
      h("caption", { class: "unseen" }, rated ? "Moves, best first, with the win probability of the player to move and the loss" : "Legal moves"),
      h("thead", {}, h("tr", {},
        h("th", { scope: "col" }, h("span", { class: "unseen" }, "number")), h("th", { class: "text", scope: "col" }, "Move"),
        rated ? h("th", { scope: "col" }, "Win probability") : null, rated ? h("th", { scope: "col" }, "Loss (points)") : null)),
      body));
}

/**
 * Return arrows for the moves of a roll, with the numbers of the table. The best move's arrow is solid.
 * @param {object[]} moves
 * @param {string} side
 * @param {boolean} rated whether there are win probabilities, and so a best move
 * @returns {object[]}
 */
export const arrowsOf = (moves, side, rated) =>
  moves.map((move, k) => ({ ...move, side, rank: k + 1, best: rated && move.best })).filter((m) => !m.pass);

/** Write a count. If it is too long for a column, write a power of ten, with all digits in the tooltip. */
function shortened(count) {
  if (count === null || count === undefined || count.length <= MOST_DIGITS) return grouped(count);
  return h("span", { class: "nowrap", title: grouped(count) }, `${count[0]}.${count.slice(1, 3)}\u00a0\u00d7\u00a0${power(count.length - 1)}`);
}

/**
 * Return the table of closed forms, compared with the exact count.
 * @param {object} row a row of /api/board or /api/counts
 * @param {object} [statuses] by form: exact, a bound, an approximation, or wrong
 * @returns {Element}
 */
export function formsTable(row, statuses = {}) {
  const exact = row.forms["tile-polynomial"];
  const rows = Object.entries(row.forms).map(([name, count]) => h("tr", {},
    h("td", { class: "text" }, name, statuses[name] ? h("div", { class: "soft small" }, statuses[name]) : null),
    h("td", {}, shortened(count)),
    h("td", { class: "text" }, count === exact ? "agrees" : h("span", { class: "soft" }, count === null ? "outside its domain" : "differs"))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of closed forms" }, h("table", {},
    h("caption", {}, `Configurations of ${row.path} with ${row.pieces} pieces, by closed form`),
    h("thead", {}, h("tr", {}, h("th", { class: "text", scope: "col" }, "Form"), h("th", { scope: "col" }, "Count"), h("th", { class: "text", scope: "col" }, "Exact count"))),
    h("tbody", {}, rows)));
}

/**
 * Redraw an element, but keep typed text, open sections, the scroll positions of lists, and the keyboard focus.
 * @param {Element} element
 * @param {() => void} draw
 */
export function redrawn(element, draw) {
  const { activeElement } = document;
  const key = element.contains(activeElement) ? activeElement.dataset.key : null;
  const { scrollTop } = document.scrollingElement;
  const typed = [...element.querySelectorAll(TYPED)].filter((field) => field.value !== field.defaultValue);
  const lists = [...element.querySelectorAll(".scroll")].map((list) => [list.getAttribute("aria-label"), list.scrollTop, list.scrollLeft]);
  const open = [...element.querySelectorAll("details[open] > summary")].map((summary) => summary.dataset.key);
  draw();
  for (const section of element.querySelectorAll("details")) section.open ||= open.includes(section.firstChild.dataset.key);
  for (const field of typed) {
    const successor = element.querySelector(`[data-key="${CSS.escape(field.dataset.key)}"]`);
    // Another default means another position, and the typed text was not for it.
    if (successor?.defaultValue === field.defaultValue) successor.value = field.value;
  }
  for (const [label, top, left] of lists) {
    const successor = [...element.querySelectorAll(".scroll")].find((list) => list.getAttribute("aria-label") === label);
    if (successor) [successor.scrollTop, successor.scrollLeft] = [top, left];
  }
  if (!key) return;
  const successor = element.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (successor && !successor.disabled) successor.focus({ preventScroll: true });
  else element.focus({ preventScroll: true });
  document.scrollingElement.scrollTop = scrollTop;
}
