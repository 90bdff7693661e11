/** The words of a review: the grades of decisions, and the coach's sentence about luck and losses. */

import { loss, numberWord } from "./dom.js";

const YOU = "you";
const SIDES = ["light", "dark"];

/**
 * Return the sides that the coach speaks to: yours, or both if you played neither or both.
 * @param {{light: string, dark: string}} players
 * @returns {string[]}
 */
export function coached(players) {
  const yours = SIDES.filter((side) => players[side] === YOU);
  return yours.length === 1 ? yours : SIDES;
}

/**
 * Name a player.
 * @param {{light: string, dark: string}} players
 * @param {string} side
 * @returns {string} such as You, Light (anna)
 */
export function called(players, side) {
  if (players[side] === YOU && coached(players).length === 1) return "You";
  return `${side[0].toUpperCase()}${side.slice(1)}${players[side] ? ` (${players[side]})` : ""}`;
}

/**
 * Return the first sentence of a review. If you played neither side or both, return one for each side.
 * @param {object} review the answer of /api/review
 * @param {{light: string, dark: string}} players the names, such as you
 * @param {string[]} [sides]
 * @returns {string} such as You lost 33.1 points by decisions; the dice gave you 12.4.
 */
export const coachSentence = (review, players, sides = coached(players)) => sides.map((side) => sentence(review, players, side)).join(" ");

function sentence({ sides, approximate }, players, side) {
  const { luck, lost } = sides.find((entry) => entry.side === side);
  const digits = approximate ? 0 : 1;
  const amount = (size) => {
    const text = loss(size, digits);
    return approximate && !text.startsWith("<") ? `\u2248\u00a0${text}` : text;
  };
  const name = called(players, side);
  const to = name === "You" ? "you" : side;
  const dice = luck < 0 ? `took ${amount(-luck)} from ${to}` : `gave ${to} ${amount(luck)}`;
  return `${name} lost ${lost > 0 ? `${amount(lost)} points` : "nothing"} by decisions; the dice ${dice}.`;
}

/**
 * Return the number of decisions of each grade of a side, in words.
 * @param {object} review the answer of /api/review
 * @param {string} side
 * @returns {string} such as Two blunders, one mistake.
 */
export function gradesInWords({ rows, grades }, side) {
  const parts = grades.flatMap(({ name }) => {
    const count = rows.filter((row) => row.side === side && row.grade === name).length;
    const plural = name === "inaccuracy" ? "inaccuracies" : `${name}s`;
    return count ? [`${numberWord(count)} ${count === 1 ? name : plural}`] : [];
  });
  const text = parts.join(", ") || "no mistakes";
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}
