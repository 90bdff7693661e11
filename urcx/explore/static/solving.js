/** Games that are not solved: estimates until they are, and the button that has them solved here. */

import * as api from "./api.js";
import { h, say } from "./dom.js";

/**
 * Whether the chances of an answer are a network's estimates.
 * @param {{values: object}|null} view what has the member `values`
 * @returns {boolean}
 */
export const estimated = (view) => view?.values.source === "network";

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
  async function ask(stop, said) {
    await api.post("values", { rules, pieces, stop });
    say(said);
    await again();
  }
  if (values.state === "solving") {
    return line(
      h("progress", { value: values.share ?? 0, "aria-label": "Solved" }),
      h("p", {}, sentence(values.message)),
      values.stops ? button("Stop", "stop", () => ask(true, "Stopped; what was solved is kept"), false) : null);
  }
  const fewer = (most) =>
    open && most && most < pieces ? button(`With ${most} ${most === 1 ? "piece" : "pieces"} it can be solved`, "fewer", () => app.choose(rules, most)) : null;
  if (values.state !== "solvable") {
    const known = app.catalogue.rules.find((one) => one.name === rules);
    const short = values.source === "network" ? "Not solved: the chances are a network\u2019s estimates" : "This game cannot be solved here";
    return line(more(short, sentence(values.message)), fewer(known?.solvable_pieces));
  }
  const failed = values.error ? h("p", { class: "bad" }, sentence(values.error)) : null;
  if (values.fits) {
    const takes = h("span", { class: "approx" }, `: ${values.takes}`);
    return line(failed, button(["Solve the whole game here", takes], "solve", () => ask(false, "The game is being solved")));
  }
  return line(failed, more("There is no room to solve it here", `That takes ${values.takes}.`),
    fewer(values.most_pieces));
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
