/** Requests to the explorer's API (docs/explore-api.rst), from which the page gets everything about the game. */

import { ApiError, NO_ANSWER } from "./errors.js";

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, { headers: { accept: "application/json" }, ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("urcx explore does not answer", NO_ANSWER);
  }
  let body = null;
  try {
    body = await answer.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  if (!answer.ok || body === null) {
    throw new ApiError(body?.error ?? `the answer cannot be read (status ${answer.status})`, answer.status, body);
  }
  return body;
}

const query = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, v]) => v !== null && v !== undefined && v !== "")).toString();

/**
 * Send a GET request.
 * @param {string} name such as "view"
 * @param {object} [values] the query
 * @param {AbortSignal} [signal]
 * @returns {Promise<object>}
 */
export const get = (name, values = {}, signal = undefined) => {
  const text = query(values);
  return ask(`api/${name}${text ? `?${text}` : ""}`, { signal });
};

/**
 * Send a POST request.
 * @param {string} name such as "game"
 * @param {object} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<object>}
 */
export const post = (name, body, signal = undefined) =>
  ask(`api/${name}`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });

/**
 * Return the address of a drawing of a position.
 * @param {object} values
 * @returns {string}
 */
export const drawing = (values) => `api/drawing.svg?${query(values)}`;

/**
 * Fetch a drawing or another text file.
 * @param {string} path
 * @param {object} [options]
 * @returns {Promise<string>}
 */
export async function text(path, options = {}) {
  const answer = await fetch(path, options);
  const body = await answer.text();
  if (answer.ok) return body;
  let message = `status ${answer.status}`;
  try {
    message = JSON.parse(body).error ?? message;
  } catch {
    // Without JSON, the status is the message.
  }
  throw new ApiError(message, answer.status);
}
