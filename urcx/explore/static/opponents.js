/** Opponents of graded strength: how often each wins against perfect play. */

import { percent } from "./dom.js";

/**
 * The opponents of a game whose strength is known, the weakest first.
 * @param {object} app
 * @returns {object[]}
 */
const graded = ({ catalogue, state }) =>
  catalogue.opponents.filter((one) => one.rules === state.rules && one.pieces === state.pieces);

/**
 * What can be chosen to play: first who is graded, the weakest first, then all others.
 * @param {object} app
 * @returns {{name: string, text: string, needs: boolean}[]} `needs`: whether it needs the chances of winning
 */
export function opponents(app) {
  const known = graded(app);
  const names = app.catalogue.agents.flatMap(({ name, most_depth: most }) =>
    [name, ...Array.from({ length: most ?? 0 }, (_, k) => `${name}:${k + 1}`)]);
  const all = [...known.map((one) => one.agent), ...names.filter((name) => known.every((one) => one.agent !== name))];
  return all.map((name) => {
    const found = known.find((one) => one.agent === name);
    return { name, text: described(name, found), needs: /^(optimal|mistakes(:\d+)?)$/.test(name) };
  });
}

function described(name, found) {
  const [kind, share = 10, ...base] = name.split(":"); // as many percent as urcx takes if none are named
  const text = kind === "mistakes" ? `${base.join(":") || "perfect play"} but for ${share}\u202f% of moves` : name === "optimal" ? "optimal (perfect play)" : name;
  if (!found || name === "optimal") return text;
  return `${text}: wins ${found.within ? "\u2248 " : ""}${percent(found.wins, found.within > 0.0005 ? 0 : 1)} against perfect play`;
}
