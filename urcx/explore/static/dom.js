/** Small helpers for building the page: text is always set as text, never as markup. */

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "g", "path", "line", "polyline", "circle", "rect", "text", "title"]);

/**
 * Return the element with an id.
 * @param {string} id
 * @returns {HTMLElement}
 */
export const $ = (id) => document.getElementById(id);

/**
 * Make an element. Attributes named on* are listeners; true and false set and leave out.
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
 * Replace what is in an element.
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
  // The same words twice are told twice.
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}

let standing = ""; // the notice while there is no other

/**
 * Show one line about what went wrong, or take it away.
 * @param {string} text empty to take it away
 */
export function notice(text) {
  const shown = text || standing;
  $("notice").hidden = !shown;
  if ($("notice-text").textContent !== shown) $("notice-text").textContent = shown; // told once
}

/**
 * Show a line for as long as what it says lasts, or take it away.
 * @param {string} text empty to take it away
 */
export function lasting(text) {
  standing = text;
  notice("");
}

/**
 * A chance as a percentage.
 * @param {number|null|undefined} chance
 * @param {number} [digits]
 * @returns {string}
 */
export const percent = (chance, digits = 2) =>
  (typeof chance === "number" ? `${(100 * chance).toFixed(digits)}\u202f%` : "\u2013");

/**
 * What a chance is less than another as a percentage: the difference of the two as they are shown, and never nothing.
 * @param {number} more
 * @param {number} less
 * @param {number} [digits]
 * @returns {string}
 */
export function apart(more, less, digits = 2) {
  const shown = (chance) => Number((100 * chance).toFixed(digits));
  const text = percent((shown(more) - shown(less)) / 100, digits);
  return more > less && text === percent(0, digits) ? `< ${10 ** -digits}\u202f%` : text;
}

/**
 * A loss of chances as a percentage.
 * @param {number} loss
 * @returns {string}
 */
export const lost = (loss) => apart(loss, 0);

/**
 * A difference of chances in percentage points, with its sign.
 * @param {number} difference
 * @returns {string}
 */
export function signed(difference) {
  const text = (100 * Math.abs(difference)).toFixed(2);
  return `${difference < 0 && text !== "0.00" ? "\u2212" : "+"}${text}\u202f%`;
}

/**
 * A whole number given as text, with its digits in groups of three, as the server writes them.
 * @param {string|number|null|undefined} count
 * @returns {string}
 */
export const grouped = (count) =>
  (count === null || count === undefined ? "\u2013" : String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ","));

/**
 * Hand a file to the reader.
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
 * What this browser remembers for the page; nothing where it refuses to.
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
      // Private windows may refuse; then the game lives as long as the page.
    }
  },
};
