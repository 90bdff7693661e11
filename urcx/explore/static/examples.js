/** Positions that are worth looking at, to be chosen from a list. */

import { apart, h, say } from "./dom.js";
import { digitsOf, estimated } from "./solving.js";

/** The example that is shown, with its number in the list; -1 for none. */
function shownExample({ catalogue, state }) {
  const number = catalogue.examples.findIndex((one) => ["rules", "pieces", "position", "roll"].every((name) => one[name] === state[name]));
  return [catalogue.examples[number], number];
}

/**
 * What the network says of an example, beside the exact difference; only where chances are its estimates.
 * @param {object} app
 * @param {object} view the answer of /api/view
 * @returns {Element|null}
 */
export function comparison(app, view) {
  const [example] = shownExample(app);
  if (!example || !estimated(view)) return null;
  const { moves } = view.rolls.find((one) => one.roll === example.roll);
  const { value } = example.played === null ? moves[1] : moves.find((one) => one.from === example.played);
  const points = apart(moves[0].value, value, digitsOf(view)).replace(/\u202f%$/, "");
  return h("p", { class: "small" }, `${example.title}; the network says ${points}.`);
}

/**
 * The list of positions.
 * @param {object} app
 * @returns {Element|null} null where there are none
 */
export function exampleList(app) {
  const { examples } = app.catalogue;
  const { rules, pieces } = app.state;
  const [, shown] = shownExample(app);
  async function show({ rules: game, pieces: number, position: place, roll: thrown, title }) {
    if (game !== rules || number !== pieces) await app.choose(game, number);
    await app.go(place, thrown);
    say(title);
  }
  return examples.length ? h("label", { class: "wide noprint" }, "Example positions ", h("select", {
    "data-key": "examples", onchange: (event) => app.run(() => show(examples[Number(event.target.value)])),
  }, h("option", { disabled: true, selected: shown < 0 }, "choose one"),
  examples.map((one, k) => h("option", { value: k, selected: k === shown }, one.title)))) : null;
}
