/** The explorer's API, as docs/explore-api.rst describes it: all that is known of the game comes from here. */

/** The status of an `ApiError` where nobody answers. */
export const NO_ANSWER = 0;

/** An answer that says what is wrong, in one line. */
export class ApiError extends Error {
  constructor(message, status, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

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
 * Ask with GET.
 * @param {string} name such as "view"
 * @param {object} [values] the query
 * @param {AbortSignal} [signal]
 * @returns {Promise<object>}
 */
export const get = (name, values = {}, signal = undefined) => {
  const asked = query(values);
  return ask(`api/${name}${asked ? `?${asked}` : ""}`, { signal });
};

/**
 * Ask with POST.
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
 * The address of a drawing of a position.
 * @param {object} values
 * @returns {string}
 */
export const drawing = (values) => `api/drawing.svg?${query(values)}`;

/**
 * Fetch a drawing or another text.
 * @param {string} path
 * @param {object} [options]
 * @returns {Promise<string>}
 */
export async function text(path, options = {}) {
  const answer = await fetch(path, options);
  const found = await answer.text();
  if (answer.ok) return found;
  let said = `status ${answer.status}`;
  try {
    said = JSON.parse(found).error ?? said;
  } catch {
    // The status has to do.
  }
  throw new ApiError(said, answer.status);
}
