/** Small helpers for building the page. Text is always set as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "g", "path", "line", "polyline", "circle", "rect", "text", "title"]);

/**
 * Return the element with an id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export const $ = (id) => document.getElementById(id);

/**
 * Make an element. Attributes named on* are listeners; true sets an attribute, and false leaves it out.
 * @param {string} tag
 * @param {object} [attributes]
 * @param {...(Node|string|number|null|false|Array)} children
 * @returns {Element}
 */
export function h(tag, attributes = {}, ...children) {
  const made = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(9).filter((c) => c !== null && c !== undefined && c !== false).map((c) => (c instanceof Node ? c : String(c))));
  return made;
}

/**
 * Replace the content of an element.
 * @param {Element} element
 * @param {...(Node|string|null|false|Array)} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...h("div", {}, ...children).childNodes);
}

/**
 * Tell screen readers what happened.
 * @param {string} text
 */
export function say(text) {
  const live = $("live");
  // Without a change of the text, screen readers would not read it a second time.
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}

let standing = ""; // the notice that is shown unless there is another

/**
 * Show one line about an error, or remove it.
 * @param {string} text empty to remove the line
 */
export function notice(text) {
  const line = text || standing;
  $("notice").hidden = !line;
  if ($("notice-text").textContent !== line) $("notice-text").textContent = line; // or it is read aloud again
}

/**
 * Show a line until it is removed, whenever there is no other notice.
 * @param {string} text empty to remove the line
 */
export function lasting(text) {
  standing = text;
  notice("");
}

/**
 * Format a probability as a percentage.
 * @param {number|null|undefined} probability
 * @param {number} [digits]
 * @returns {string}
 */
export const percent = (probability, digits = 2) =>
  (typeof probability === "number" ? `${(100 * probability).toFixed(digits)}\u202f%` : "\u2013");

/**
 * Format the difference of two probabilities in points: of the rounded percentages, and never 0 if they differ.
 * @param {number} more
 * @param {number} less
 * @param {number} [digits]
 * @returns {string} such as 4.32, without a unit
 */
export function points(more, less, digits = 2) {
  const rounded = (probability) => Number((100 * probability).toFixed(digits));
  const text = (rounded(more) - rounded(less)).toFixed(digits);
  return more > less && Number(text) === 0 ? `< ${10 ** -digits}` : text;
}

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/**
 * Write a small number as a word.
 * @param {number} number
 * @returns {string} such as three; digits from 13 on
 */
export const numberWord = (number) => NUMBERS[number] ?? String(number);

/**
 * Format a loss of win probability in points.
 * @param {number} regret
 * @param {number} [digits]
 * @returns {string} such as 4.32, without a unit
 */
export const loss = (regret, digits = 2) => points(regret, 0, digits);

/**
 * Format a difference of probabilities in points, with its sign.
 * @param {number} difference
 * @param {number} [digits]
 * @returns {string} such as +4.32, without a unit
 */
export function signed(difference, digits = 2) {
  const text = (100 * Math.abs(difference)).toFixed(digits);
  return `${difference < 0 && Number(text) ? "\u2212" : "+"}${text}`;
}

/**
 * Format an integer, which may be a string, with its digits in groups of three, as the server writes them.
 * @param {string|number|null|undefined} count
 * @returns {string}
 */
export const grouped = (count) =>
  (count === null || count === undefined ? "\u2013" : String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ","));

/**
 * Save a file in the reader's downloads.
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function download(name, text, type) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * Copy text to the clipboard, and write so on the button.
 * @param {string} key of the button
 * @param {string} text
 * @param {string} what such as "game"
 * @param {string} instead what to do if the browser does not allow it
 */
export async function copy(key, text, what, instead) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    notice(`This browser does not let the page use the clipboard. ${instead}`);
    return;
  }
  say(`The ${what} is on the clipboard`);
  $("panel").querySelector(`[data-key=${key}]`).textContent = "Copied";
}

/**
 * The settings and the game that this browser stores for the page, unless it refuses to.
 */
export const memory = {
  get(key) {
    try {
      return JSON.parse(localStorage.getItem(`urcx.${key}`));
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      localStorage.setItem(`urcx.${key}`, JSON.stringify(value));
    } catch {
      // Private windows may refuse. Then the game is lost when the page is closed.
    }
  },
};
