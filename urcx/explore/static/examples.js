/** Positions that are worth looking at, to be chosen from a list. */

import { h, say } from "./dom.js";

/**
 * The list of positions.
 * @param {object} app
 * @returns {Element|null} null where there are none
 */
export function exampleList(app) {
  const { examples } = app.catalogue;
  const { rules, pieces, position, roll } = app.state;
  const shown = examples.findIndex((one) => one.position === position && one.roll === roll && one.rules === rules && one.pieces === pieces);
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
