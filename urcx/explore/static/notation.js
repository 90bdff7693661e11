/** What is read and typed: tiles such as A4, where the API has steps and takes both. */

import { ApiError } from "./api.js";

/**
 * A position with the tiles of its pieces; one that its player crosses twice is said by its step.
 * @param {string} position in steps, as the API has it
 * @param {object} geometry the answer of /api/board
 * @returns {string} such as A4,B4/C1/0-0/L
 */
export function tiled(position, geometry) {
  const name = (way) => (step) => (way.filter((tile) => tile === way[step - 1]).length === 1 ? way[step - 1] : step);
  const parts = position.split("/");
  ["light", "dark"].forEach((side, k) => {
    parts[k] = parts[k].split(",").map(name(geometry[side])).join(",");
  });
  return parts.join("/");
}

/**
 * The legal move that a text says: A4 to B1, A4-B1, B1 alone, or steps, 4-5.
 * @param {string} text
 * @param {object[]} rolls those of /api/view that it may be played by
 * @returns {object}
 */
export function moveTyped(text, rolls) {
  const words = text.toLowerCase().split(/[\s,>\u2192-]+|\bto\b/).filter(Boolean);
  const moves = rolls.flatMap((roll) => roll.moves).filter((move) => !move.pass);
  const ends = ({ from, to, from_tile: start, to_tile: end }) =>
    [[start ?? "start", from], [end ?? "home", to]].map((names) => names.map((name) => String(name).toLowerCase()));
  const found = words.length === 1
    ? [0, 1].map((end) => moves.filter((move) => ends(move)[end].includes(words[0]))).find((some) => some.length) ?? []
    : moves.filter((move) => words.length === 2 && ends(move).every((names, k) => names.includes(words[k])));
  if (found.length === 1) return found[0];
  const which = rolls.length === 1 ? `with a ${rolls[0].roll}` : "with any roll";
  throw new ApiError(`${text.trim()}: ${found.length ? "more than one move" : "no legal move"} ${which}`, 400);
}
