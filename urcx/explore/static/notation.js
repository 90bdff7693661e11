/** What is typed and read: tiles such as A4, which become the steps that the API takes. */

import { ApiError } from "./api.js";

const SIDES = ["light", "dark"];

/** A position in notation with each list of pieces made anew; what is no notation stays as it is. */
function rewritten(position, geometry, of) {
  const parts = position.split("/");
  if (parts.length !== 4) return position;
  SIDES.forEach((side, k) => {
    if (parts[k].trim() !== "-") parts[k] = parts[k].split(",").map((word) => of(word.trim(), geometry[side], side)).join(",");
  });
  return parts.join("/");
}

/**
 * A position with the tiles of its pieces. A piece on a later lap keeps its step, which a tile that
 * is crossed twice does not say.
 * @param {string} position in steps, as the API has it
 * @param {object} geometry the answer of /api/board
 * @returns {string} such as A4,B4/C1/0-0/L
 */
export const tiled = (position, geometry) =>
  rewritten(position, geometry, (step, way) => {
    const tile = way[step - 1];
    return way.indexOf(tile) === step - 1 ? tile : step;
  });

/**
 * A position in steps, of one in tiles, in steps, or in both.
 * @param {string} position
 * @param {object} geometry
 * @returns {string}
 */
export const stepped = (position, geometry) =>
  rewritten(position, geometry, (word, way, side) => {
    if (!/^[a-z]/i.test(word)) return word;
    const step = way.indexOf(word.toUpperCase()) + 1;
    if (!step) throw new ApiError(`${word}: ${side}\u2019s path has no such tile`, 400);
    return step;
  });

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
