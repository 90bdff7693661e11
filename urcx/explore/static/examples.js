/** The list of interesting positions. */

import { h, points, say } from "./dom.js";
import { digitsOf, estimated } from "./solving.js";

/** Return the example on the board and its number in the list, or -1. */
function currentExample({ catalogue, state }) {
  const number = catalogue.examples.findIndex((example) => ["rules", "pieces", "position", "roll"].every((name) => example[name] === state[name]));
  return [catalogue.examples[number], number];
}

/**
 * Compare an example's exact difference with the network's estimate, if the page has only estimates.
 * @param {object} app
 * @param {object} view the answer of /api/view
 * @returns {Element|null}
 */
export function comparison(app, view) {
  const [example] = currentExample(app);
  if (!example || !estimated(view)) return null;
  const { moves } = view.rolls.find(({ roll }) => roll === example.roll);
  const { value } = example.played === null ? moves[1] : moves.find(({ from }) => from === example.played);
  return h("p", { class: "small" }, `${example.title} (the network estimates ${points(moves[0].value, value, digitsOf(view))} points).`);
}

/**
 * Return the list of examples.
 * @param {object} app
 * @returns {Element|null} null if there are no examples
 */
export function exampleList(app) {
  const { examples } = app.catalogue;
  const { rules, pieces } = app.state;
  const [, current] = currentExample(app);
  async function show({ rules: game, pieces: number, position, roll, title }) {
    if (game !== rules || number !== pieces) await app.choose(game, number);
    await app.go(position, roll);
    say(title);
  }
  return examples.length ? h("label", { class: "wide noprint" }, "Example positions ", h("select", {
    "data-key": "examples", onchange: (event) => app.run(() => show(examples[Number(event.target.value)])),
  }, h("option", { disabled: true, selected: current < 0 }, "choose one"),
  examples.map(({ title }, k) => h("option", { value: k, selected: k === current }, title)))) : null;
}
