/** The tree of best replies: the best move for each roll, and for each roll after that. Opening a node loads its moves. */

import * as api from "./api.js";
import { fill, h, percent } from "./dom.js";

/**
 * Return the tree of best replies from a position on.
 * @param {object} app
 * @param {object} view the answer of /api/view
 * @param {string} key the key of the element that contains the tree
 * @returns {Element}
 */
export function bestReplies(app, view, key = "replies") {
  return h("ul", { class: "replies" }, view.rolls.map(({ roll, chance, value, moves: [best] }) => {
    const inner = h("div", {});
    const node = `${key}-${roll}`;
    const light = view.to_move === "light" ? value : 1 - value;
    const unfold = async () => {
      const { rules, pieces } = app.state;
      const next = await api.get("view", { rules, pieces, position: best.position, agents: "" });
      fill(inner, h("p", { class: "row" },
        h("span", {}, next.winner ? `${next.winner} has won` : `${next.to_move} to move`),
        h("button", { type: "button", "data-key": `${node}-show`, onclick: () => app.run(() => app.go(best.position)) }, "Show on the board")),
      next.winner ? null : bestReplies(app, next, node));
    };
    return h("li", {}, h("details", { ontoggle: (event) => event.target.open && !inner.hasChildNodes() && app.run(unfold) },
      h("summary", { "data-key": node }, h("b", { title: `probability ${chance}` }, roll), ` ${best.pass ? "pass" : best.words} `,
        h("span", { class: "soft nowrap" }, `light ${percent(light)}`)),
      inner));
  }));
}
