/** Opponents and their strength: the win rate of each against optimal play. */

import { percent } from "./dom.js";

// An agent without a name plays best moves except in a share of its decisions, in percent.
const LEVELS = [["First game", "greedy"], ["Easy", 33], ["Fair", 21], ["Hard", 6], ["Perfect", 0]];

/**
 * Return the opponents of a game with a measured strength, the weakest first.
 * @param {object} app
 * @returns {Map<string, object>} by the agent's name
 */
const graded = ({ catalogue, state }) => new Map(
  catalogue.opponents.filter((entry) => entry.rules === state.rules && entry.pieces === state.pieces).map((entry) => [entry.agent, entry]));

/**
 * Return the five levels of a game, the weakest first.
 * @param {object} app
 * @param {boolean} solved whether the game is solved
 * @returns {{title: string, name: string, rate: string, text: string}[]} `name`: of the agent, or empty if the level needs
 *   the solved game; `rate`: its win rate against optimal play, or empty; `text`: its description
 */
export function levels(app, solved) {
  const strengths = graded(app);
  const base = strengths.has("learned") ? "learned" : solved ? "optimal" : app.catalogue.default_agent;
  const best = solved ? "optimal" : strengths.has("learned") ? "learned" : "";
  return LEVELS.map(([title, kind]) => {
    const name = kind === 0 ? best : typeof kind === "string" ? kind : `mistakes:${kind}${base === "optimal" ? "" : `:${base}`}`;
    const strength = strengths.get(name);
    return { title, name, rate: strength ? rate(strength) : "", text: name ? described(name, strength) : "needs the solved game" };
  });
}

/**
 * Return all opponents: first those with a measured strength, the weakest first, then all others.
 * @param {object} app
 * @param {boolean} solved whether the game is solved
 * @returns {{name: string, text: string, needs: boolean}[]} `needs`: whether the opponent needs the solved game
 */
export function opponents(app, solved) {
  const strengths = graded(app);
  const names = app.catalogue.agents.flatMap(({ name, most_depth: most }) =>
    [name, ...Array.from({ length: most ?? 0 }, (_, k) => `${name}:${k + 1}`)]);
  const all = new Set([...strengths.keys(), ...levels(app, solved).map(({ name }) => name).filter(Boolean), ...names]);
  return [...all].map((name) => ({
    name, text: described(name, strengths.get(name)), needs: /^(optimal|mistakes(:\d+)?)$/.test(name),
  }));
}

/** Write a win rate with no more digits than its interval deserves. */
const rate = ({ wins, within }) => `${within ? "\u2248 " : ""}${percent(wins, within > 0.0001 ? 1 : 2)}`;

function described(name, strength) {
  const [kind, share = 10, ...base] = name.split(":"); // urcx's default is 10 % too
  const text = kind === "mistakes" ? `${base.join(":") || "optimal play"}, except in ${share}\u202f% of decisions`
    : name === "optimal" ? "optimal (perfect play)" : name;
  return !strength || name === "optimal" ? text : `${text}: wins ${rate(strength)} against optimal play`;
}
