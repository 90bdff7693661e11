/** Games that are not solved: estimates until they are, and the button that has them solved here. */

import * as api from "./api.js";
import { h, percent, say } from "./dom.js";

/**
 * Whether the chances of an answer are a network's estimates.
 * @param {{values: object}|null} view what has the member `values`
 * @returns {boolean}
 */
export const estimated = (view) => view?.values.source === "network";

/**
 * How many decimals of a percentage an answer's chances deserve: estimates are off by more than the second.
 * @param {{values: object}|null} view what has the member `values`
 * @returns {number}
 */
export const digitsOf = (view) => (estimated(view) ? 1 : 2);

/**
 * Whether an answer has chances of winning, proven or estimated.
 * @param {{values: object}|null} view
 * @returns {boolean}
 */
export const valued = (view) => view?.values.state === "known" || estimated(view);

/**
 * The line above the board where chances are not known, with the button that has the game solved.
 * @param {object} app
 * @param {object} view the answer of /api/view
 * @param {() => Promise<void>} again shows what has changed
 * @param {boolean} open whether the game may be shown with fewer pieces
 * @returns {Element}
 */
export function unsolved(app, { rules, pieces, values }, again, open = true) {
  const button = (text, key, does, main = true) =>
    h("button", { class: main ? "main" : null, type: "button", "data-key": key, onclick: () => app.run(does) }, text);
  const line = (...parts) => h("div", { class: "hint row" }, parts);
  const more = (short, ...text) => h("details", { class: "hint" }, h("summary", { "data-key": "unsolved" }, short), h("p", {}, text));
  async function ask(stop) {
    const found = await api.post("values", { rules, pieces, stop });
    say(stop ? `Stopped; ${done(found) || "nothing was complete, and nothing is kept"}` : "The game is being solved");
    await again();
  }
  if (values.state === "solving") {
    return line(
      h("progress", { value: values.share ?? 0, "aria-label": "Solved" }),
      h("p", {}, sentence(values.message.replace(/^.*: /, ""))), // which game it is, is seen
      values.stops ? button("Stop", "stop", () => ask(true), false) : null);
  }
  const fewer = (able) => {
    const solved = app.catalogue.pieces ? able : values.solved_pieces; // in an exported file all that can be are
    const most = Math.max(...[solved, able].filter((number) => number && number < pieces));
    return open && most > 0 ? button(`With ${most} ${most === 1 ? "piece" : "pieces"} it ${most === solved ? "is" : "can be"} solved`, "fewer", () => app.choose(rules, most)) : null;
  };
  if (values.state !== "solvable") {
    const known = app.catalogue.rules.find((one) => one.name === rules);
    const short = values.source === "network" ? "Not solved: the chances are a network\u2019s estimates" : "This game cannot be solved here";
    return line(more(short, sentence(values.message)), fewer(known?.solvable_pieces));
  }
  const failed = values.error ? h("p", { class: "bad" }, sentence(values.error)) : null;
  if (values.fits) {
    const takes = h("span", { class: "approx" }, `: ${values.takes}`);
    return line(failed, button(values.kept ? "Go on solving here" : ["Solve the whole game here", takes], "solve", () => ask(false)),
      values.kept ? h("p", {}, sentence(done(values))) : null);
  }
  return line(failed, more("There is no room to solve it here", `That takes ${values.takes}.`),
    fewer(values.most_pieces));
}

/**
 * Have a game solved that takes seconds: nobody need ask for it.
 * @param {object} game what has the members `rules`, `pieces` and `values`; these are renewed
 */
export async function solveAtOnce(game) {
  const { rules, pieces, values } = game;
  if (!values.at_once) return;
  try {
    game.values = await api.post("values", { rules, pieces, stop: false });
    say(`${rules} with ${pieces} ${pieces === 1 ? "piece" : "pieces"} is being solved, which takes seconds`);
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error; // others are being solved
  }
}

/** How much of a game is solved and kept; nothing where that is nothing. */
const done = ({ share, kept }) => (kept ? `${percent(share, 0)} of it is solved and kept, ${kept}` : "");

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
