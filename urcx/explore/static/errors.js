/** The errors of the API, with a server or without. */

/** The status of an `ApiError` if the server does not answer. */
export const NO_ANSWER = 0;

/** An error of the API: one line, and its HTTP status. */
export class ApiError extends Error {
  constructor(message, status = 400, body = null) {
    super(message);
    this.status = status;
    this.body = body;
  }
}
