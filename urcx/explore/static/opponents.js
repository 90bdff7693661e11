/** Opponents and their strength: the win rate of each against optimal play. */

import { percent } from "./dom.js";

/**
 * Return the opponents of a game with a measured strength, the weakest first.
 * @param {object} app
 * @returns {object[]}
 */
const graded = ({ catalogue, state }) =>
  catalogue.opponents.filter((entry) => entry.rules === state.rules && entry.pieces === state.pieces);

/**
 * Return all opponents: first those with a measured strength, the weakest first, then all others.
 * @param {object} app
 * @returns {{name: string, text: string, needs: boolean}[]} `needs`: whether the opponent needs the solved game
 */
export function opponents(app) {
  const strengths = new Map(graded(app).map((entry) => [entry.agent, entry]));
  const names = app.catalogue.agents.flatMap(({ name, most_depth: most }) =>
    [name, ...Array.from({ length: most ?? 0 }, (_, k) => `${name}:${k + 1}`)]);
  const all = new Set([...strengths.keys(), ...names]);
  return [...all].map((name) => ({
    name, text: described(name, strengths.get(name)), needs: /^(optimal|mistakes(:\d+)?)$/.test(name),
  }));
}

function described(name, strength) {
  const [kind, share = 10, ...base] = name.split(":"); // urcx's default is 10 % too
  const text = kind === "mistakes" ? `${base.join(":") || "optimal play"}, except in ${share}\u202f% of decisions`
    : name === "optimal" ? "optimal (perfect play)" : name;
  if (!strength || name === "optimal") return text;
  const exact = !strength.within;
  const digits = strength.within > 0.0001 ? 1 : 2; // no more digits than the interval deserves
  return `${text}: wins ${exact ? "" : "\u2248 "}${percent(strength.wins, digits)} against optimal play`;
}
