/** Positions and moves in tiles such as A4, for people. The API answers in steps, and reads both. */

import { ApiError } from "./errors.js";

/**
 * Write a position with tiles. A piece on a tile that its player crosses twice is written as its step.
 * @param {string} position in steps, as in the API
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
 * Find the legal move for a text: A4 to B1, A4-B1, B1 alone, or steps, such as 4-5.
 * @param {string} text
 * @param {object[]} rolls the possible rolls, as in /api/view
 * @returns {object}
 */
export function moveTyped(text, rolls) {
  const words = text.toLowerCase().split(/[\s,>\u2192-]+|\bto\b/).filter(Boolean);
  const moves = rolls.flatMap((roll) => roll.moves).filter((move) => !move.pass);
  const ends = ({ from, to, from_tile: start, to_tile: end }) =>
    [[start ?? "start", from], [end ?? "home", to]].map((names) => names.map((name) => String(name).toLowerCase()));
  const matches = words.length === 1
    ? [0, 1].map((end) => moves.filter((move) => ends(move)[end].includes(words[0]))).find((some) => some.length) ?? []
    : moves.filter((move) => words.length === 2 && ends(move).every((names, k) => names.includes(words[k])));
  if (matches.length === 1) return matches[0];
  const which = rolls.length === 1 ? `with a ${rolls[0].roll}` : "with any roll";
  throw new ApiError(`${text.trim()} is ${matches.length ? "more than one move" : "not a legal move"} ${which}. Write a move such as A4 to B1`, 400);
}
