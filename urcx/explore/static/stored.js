/**
 * The API of a page with one review, which `urcx review -o FILE.html` writes. It replaces api.js, and has stored answers:
 * the catalogue, the board, the game and its review, and a view for each decision with a loss, by position and roll.
 */

import { memory } from "./dom.js";
import { ApiError } from "./errors.js";

const data = JSON.parse(document.getElementById("offline").textContent);
const NO_SERVER = "this file shows one review. For everything else run urcx explore";

// The page has one game and no introduction, even if other files have stored others in this browser.
const kept = { game: { notation: data.game.notation, players: {}, undone: [] }, seen: true };
memory.get = (key) => kept[key] ?? null;
memory.set = () => {};
history.replaceState = () => {};
history.pushState = () => {};

/**
 * Return a stored answer to a GET request.
 * @param {string} name
 * @param {object} [request]
 * @returns {Promise<object>}
 */
export async function get(name, request = {}) {
  const answer = name === "view" ? data.views[`${request.position} ${request.roll}`] : data[name];
  if (!answer) throw new ApiError(NO_SERVER);
  return answer;
}

/**
 * Return the stored game or its review.
 * @param {string} name
 * @param {object} request
 * @returns {Promise<object>}
 */
export async function post(name, request) {
  if (!["game", "review"].includes(name) || request.text !== data.game.notation || request.svg) throw new ApiError(NO_SERVER);
  return data[name];
}

export const drawing = () => "";
export const text = () => Promise.reject(new ApiError(NO_SERVER));
