/** Unsolved games: their estimates, and the button that solves them. */

import * as api from "./api.js";
import { h, percent, say } from "./dom.js";
import { ApiError } from "./errors.js";

const SMOOTH = 0.2; // the weight of a report of the time left, next to the earlier reports

/**
 * Return whether the win probabilities of an answer are a network's estimates.
 * @param {{values: object}|null} view an answer with the field `values`
 * @returns {boolean}
 */
export const estimated = (view) => view?.values.source === "network";

/**
 * Return the number of decimals of an answer's percentages: estimates deserve only one.
 * @param {{values: object}|null} view an answer with the field `values`
 * @returns {number}
 */
export const digitsOf = (view) => (estimated(view) ? 1 : 2);

/**
 * Return whether an answer has win probabilities, proven or estimated.
 * @param {{values: object}|null} view
 * @returns {boolean}
 */
export const valued = (view) => view?.values.state === "known" || estimated(view);

/**
 * Return the line above the board for an unsolved game, with the button that solves it.
 * @param {object} app
 * @param {object} view the answer of /api/view
 * @param {() => Promise<void>} refresh shows the new state
 * @param {boolean} open whether the line may offer fewer pieces
 * @returns {Element}
 */
export function unsolved(app, { rules, pieces, values }, refresh, open = true) {
  const button = (text, key, action, title = null) => h("button", { type: "button", "data-key": key, title, onclick: () => app.run(action) }, text);
  const line = (...parts) => h("div", { class: "hint row" }, parts);
  const more = (short, ...text) => h("details", { class: "hint" }, h("summary", { "data-key": "unsolved" }, short), h("p", {}, text));
  async function solve(stop) {
    const answer = await api.post("values", { rules, pieces, stop });
    say(stop ? `Stopped. ${progress(answer) || "No part was complete, so none is saved"}.` : "The game is being solved");
    await refresh();
  }
  if (values.state === "solving") {
    return line(
      h("progress", { value: values.share ?? 0, "aria-label": "Solved" }),
      h("p", {}, "Being solved", timeLeft(`${rules} ${pieces}`, values.seconds_left)),
      values.stops ? button("Stop", "stop", () => solve(true)) : null);
  }
  const fewer = (able) => {
    const solved = app.catalogue.pieces ? able : values.solved_pieces; // an exported file has solved all that it can
    const most = Math.max(...[solved, able].filter((number) => number && number < pieces));
    return open && most > 0 ? button(`With ${most} ${most === 1 ? "piece" : "pieces"} this game ${most === solved ? "is" : "can be"} solved`, "fewer", () => app.choose(rules, most)) : null;
  };
  if (values.state !== "solvable") {
    const entry = app.catalogue.rules.find(({ name }) => name === rules);
    const short = values.source === "network" ? "\u2248 estimates; cannot be made exact here" : "This game cannot be solved here";
    return line(more(short, sentence(values.message)), fewer(entry?.solvable_pieces));
  }
  const failed = values.error ? h("p", { class: "bad" }, sentence(values.error)) : null;
  if (values.fits) {
    const text = `${values.source === "network" ? "\u2248 estimates" : "not solved"}; ${values.kept ? "go on making them exact" : "make exact"}`;
    const takes = values.kept ? progress(values) : values.takes;
    return line(failed, button([text, h("span", { class: "approx" }, ` (${takes})`)], "solve", () => solve(false), takes));
  }
  return line(failed, more("Too little memory or disk space to solve this game here", `Solving takes ${values.takes}.`),
    fewer(values.most_pieces));
}

/**
 * Solve a game without a click, if that takes seconds.
 * @param {object} game an answer with the fields `rules`, `pieces` and `values`, which is updated
 */
export async function solveAtOnce(game) {
  const { rules, pieces, values } = game;
  if (!values.at_once) return;
  try {
    game.values = await api.post("values", { rules, pieces, stop: false });
    say(`${rules} with ${pieces} ${pieces === 1 ? "piece" : "pieces"} is being solved, which takes seconds`);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // an ApiError: other games are being solved
  }
}

const ends = new Map(); // by game: when it is expected to be solved, in milliseconds

/**
 * Return the time left, which counts down between the server's reports. Their changes are smoothed.
 * @param {string} game
 * @param {number|null} seconds the last report, null if there is none yet
 * @returns {Element}
 */
function timeLeft(game, seconds) {
  const reported = seconds === null ? null : Date.now() + 1000 * seconds;
  const last = ends.get(game) ?? reported;
  if (reported === null) ends.delete(game); // a run begins
  else ends.set(game, last + (reported - last) * SMOOTH);
  const text = h("span", { class: "left" });
  function tick() {
    const left = Math.max(Math.ceil((ends.get(game) - Date.now()) / 1000), 1);
    text.textContent = reported === null ? "" : `: ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
    if (reported !== null) setTimeout(() => text.isConnected && tick(), 1000);
  }
  tick();
  return text;
}

/** Describe the part of a game that is solved and saved, or return the empty string. */
const progress = ({ share, kept }) => (kept ? `${percent(share, 0)} of it is solved and saved (${kept})` : "");

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
