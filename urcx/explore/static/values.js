/** What is known of a position, shown: the bar, the rolls, the moves best first, where it comes from. */

import { apart, grouped, h, percent } from "./dom.js";

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
 * Write a bound such as 4.8 times ten to the power of -13.
 * @param {number} bound
 * @returns {string}
 */
export function small(bound) {
  if (bound === 0) return "0";
  const [digits, exponent] = bound.toExponential(1).split("e");
  return `${digits}\u00a0\u00d7\u00a0${power(Number(exponent))}`;
}

/**
 * The bar that shows how the chances are shared.
 * @param {number|null} light light's chance of winning
 * @param {number} [digits] decimals of a percentage
 * @returns {Element|null}
 */
export function chanceBar(light, digits = 2) {
  if (light === null || light === undefined) return null;
  const filled = h("span");
  filled.style.width = `${100 * light}%`;
  const said = `Light wins with ${percent(light, digits)}, dark with ${percent(1 - light, digits)}`;
  return h("div", { class: "bar", role: "img", "aria-label": said }, filled);
}

/**
 * Light's chance of winning in an answer of /api/view: after the roll that was thrown, if one was.
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
 * A roll of binary dice as they lie: tetrahedra, of whose upper corners some are marked. Three that
 * show none may count as four. Other dice have no drawing.
 * @param {object[]} rolls as /api/board gives them
 * @param {number|null} roll null for dice that nobody has thrown
 * @returns {Element|null}
 */
export function diceDrawn(rolls, roll) {
  const chances = rolls.map((r) => r.chance_decimal);
  const number = Math.round(-Math.log2(Math.min(...chances)));
  const ways = (k) => (k ? (ways(k - 1) * (number - k + 1)) / k : 1);
  const marked = ({ roll: one, chance_decimal: chance }) =>
    (one > number && chance * 2 ** number === 1 ? 0 : chance * 2 ** number === ways(one) ? one : null);
  if (rolls.length !== number + 1 || rolls.some((r) => marked(r) === null)) return null;
  const up = roll === null ? -1 : marked(rolls.find((r) => r.roll === roll));
  return h("span", { class: roll === null ? "dice idle" : "dice", "aria-hidden": "true" }, Array.from({ length: number }, (_, k) => h("svg", { viewBox: "0 0 24 22" },
    h("path", { class: "die-side", d: "M12 1 23 20H1Z" }),
    k < up ? h("circle", { class: "die-mark", cx: 12, cy: 13.5, r: 4.5 }) : h("path", { class: "die-edge", d: "M12 1V13.5L1 20M12 13.5 23 20" }))));
}

/**
 * Say where the chances come from and how far off they are at most.
 * @param {object} view the answer of /api/view
 * @returns {string}
 */
export function source(view) {
  const { values, value, lower, upper } = view;
  const from = `Chances of winning ${values.source === "tablebase" ? `from the tablebase ${values.file}` : "solved in memory"}`;
  if (lower === null) return `${from}; no bound is proven.`;
  if (value === lower && value === upper) return `${from}; exact.`;
  return `${from}; certified: off by at most ${small(values.bound)}.`;
}

/**
 * Buttons for the rolls: how likely each is and what it is worth.
 * @param {object[]} dice rolls as /api/board gives them
 * @param {object[]} rolls rolls as /api/view gives them, with values
 * @param {number|null} chosen
 * @param {(roll: number|null) => void} choose
 * @param {() => void} cast rolls the dice
 * @returns {Element}
 */
export function rollButtons(dice, rolls, chosen, choose, cast) {
  return h("div", { class: "rolls", role: "group", "aria-label": "Roll" },
    dice.map(({ roll, chance, chance_decimal: likely }) => {
      const value = rolls.find((r) => r.roll === roll)?.value;
      const said = `Roll ${roll}, chance ${chance}${typeof value === "number" ? `, wins with ${percent(value, 1)}` : ""}`;
      return h("button", {
        type: "button", "aria-pressed": String(roll === chosen), "aria-label": said, "data-key": `roll-${roll}`,
        onclick: () => choose(roll === chosen ? null : roll),
      }, h("span", { class: "cast" }, h("b", {}, roll), diceDrawn(dice, roll)),
      h("small", { title: chance }, percent(likely, 0)),
      typeof value === "number" ? h("small", {}, h("span", { class: "approx" }, "wins "), percent(value, 1)) : null);
    }), h("button", { class: "main", type: "button", "data-key": "throw", onclick: cast }, "Roll the dice"));
}

/**
 * The agents that would play a move, as chips.
 * @param {object} move
 * @returns {Element[]}
 */
function players(move) {
  return Object.entries(move.plays).filter(([, share]) => share !== "0").map(([name, share]) =>
    h("span", { class: "chip" }, share === "1" ? name : `${name} ${share}`));
}

/**
 * The moves of one roll or of all, best first.
 * @param {object[]} rolls as /api/view gives them
 * @param {object} does
 * @param {(move: object, roll: number) => void} does.play
 * @param {(move: object|null) => void} [does.point] a move is looked at
 * @param {boolean} [does.known] whether there are chances to be shown
 * @param {number} [does.digits] decimals of a percentage
 * @returns {Element}
 */
export function movesTable(rolls, { play, point = () => {}, known = true, digits = 2 }) {
  const several = rolls.length > 1;
  const body = rolls.map(({ roll, chance, value, moves }) => h("tbody", {},
    several ? h("tr", { class: "group" }, h("th", { colspan: known ? 4 : 2, scope: "rowgroup" },
      `Roll ${roll} `, h("span", { class: "chip" }, chance), known && value !== null ? h("span", { class: "soft" }, ` ${percent(value, digits)}`) : null)) : null,
    moves.map((move, k) => h("tr", {
      class: move.best && known ? "best" : null,
      onpointerenter: several ? null : () => point(move),
      onpointerleave: several ? null : () => point(null),
    },
    h("td", { class: "soft" }, k + 1),
    h("td", { class: "text" },
      h("button", {
        type: "button", "data-key": `move-${roll}-${move.from ?? "pass"}`, onclick: () => play(move, roll),
        onfocus: several ? null : () => point(move), onblur: several ? null : () => point(null),
      }, move.pass ? "pass" : move.words),
      " ", players(move)),
    known ? h("td", { class: "nowrap" }, percent(move.value, digits)) : null,
    known ? h("td", { class: "nowrap" }, move.regret > 0 ? h("span", { class: "bad" }, apart(moves[0].value, move.value, digits)) : h("span", { class: "good" }, moves.length > 1 ? "best" : "only")) : null))));
  return h("div", { class: "scroll play-moves", tabindex: "0", role: "region", "aria-label": "Moves" },
    h("table", {},
      h("caption", { class: "unseen" }, known ? "Moves, best first: the chance that the player to move wins, and what is lost against the best" : "Legal moves"),
      h("thead", {}, h("tr", {},
        h("th", { scope: "col" }, h("span", { class: "unseen" }, "number")), h("th", { class: "text", scope: "col" }, "Move"),
        known ? h("th", { scope: "col" }, "Wins") : null, known ? h("th", { scope: "col" }, "Loses") : null)),
      body));
}

/**
 * Arrows for the moves of a roll: numbered as in the table, the best drawn firmly.
 * @param {object[]} moves
 * @param {string} side
 * @param {boolean} known whether it is known which is best
 * @returns {object[]}
 */
export const arrowsOf = (moves, side, known) =>
  moves.map((move, k) => ({ ...move, side, rank: k + 1, best: known && move.best })).filter((m) => !m.pass);

/** A count; one too long for a column as a power of ten, with its digits in the tip. */
function shortened(count) {
  if (count === null || count === undefined || count.length <= MOST_DIGITS) return grouped(count);
  return h("span", { class: "nowrap", title: grouped(count) }, `${count[0]}.${count.slice(1, 3)}\u00a0\u00d7\u00a0${power(count.length - 1)}`);
}

/**
 * The forms' counts beside the exact one.
 * @param {object} row a row as /api/board and /api/counts give it
 * @param {object} [statuses] what each form is
 * @returns {Element}
 */
export function formsTable(row, statuses = {}) {
  const exact = row.forms["tile-polynomial"];
  const rows = Object.entries(row.forms).map(([name, count]) => h("tr", {},
    h("td", { class: "text" }, name, statuses[name] ? h("div", { class: "soft small" }, statuses[name]) : null),
    h("td", {}, shortened(count)),
    h("td", { class: "text" }, count === exact ? "agrees" : h("span", { class: "soft" }, count === null ? "out of its domain" : "differs"))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of closed forms" }, h("table", {},
    h("caption", {}, `Diagrams of ${row.path} with ${row.pieces} pieces by each closed form`),
    h("thead", {}, h("tr", {}, h("th", { class: "text", scope: "col" }, "Form"), h("th", { scope: "col" }, "Count"), h("th", { class: "text", scope: "col" }, "Exact"))),
    h("tbody", {}, rows)));
}

/**
 * Redraw something and keep what was typed and unfolded, how far lists were scrolled, and the keyboard where it was.
 * @param {Element} element
 * @param {() => void} draw
 */
export function redrawn(element, draw) {
  const { activeElement } = document;
  const key = element.contains(activeElement) ? activeElement.dataset.key : null;
  const { scrollTop } = document.scrollingElement;
  const typed = [...element.querySelectorAll(TYPED)].filter((field) => field.value !== field.defaultValue);
  const lists = [...element.querySelectorAll(".scroll")].map((list) => [list.getAttribute("aria-label"), list.scrollTop, list.scrollLeft]);
  const unfolded = [...element.querySelectorAll("details[open] > summary")].map((summary) => summary.dataset.key);
  draw();
  for (const one of element.querySelectorAll("details")) one.open ||= unfolded.includes(one.firstChild.dataset.key);
  for (const field of typed) {
    const again = element.querySelector(`[data-key="${CSS.escape(field.dataset.key)}"]`);
    // Another default is another position, which what was typed is no longer meant for.
    if (again?.defaultValue === field.defaultValue) again.value = field.value;
  }
  for (const [label, top, left] of lists) {
    const again = [...element.querySelectorAll(".scroll")].find((list) => list.getAttribute("aria-label") === label);
    if (again) [again.scrollTop, again.scrollLeft] = [top, left];
  }
  if (!key) return;
  const again = element.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (again) again.focus({ preventScroll: true });
  else element.focus({ preventScroll: true });
  document.scrollingElement.scrollTop = scrollTop;
}
