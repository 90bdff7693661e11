/**
 * The board as SVG, for setting up positions and playing moves with a pointer or the keyboard.
 *
 * This file needs no other script or style sheet, and loads nothing. It contains no rules of the
 * game: the page passes the legal moves, and the board reports the chosen move.
 *
 *     import { createBoard } from "./board.js";
 *     const board = createBoard(element, {
 *       geometry,            // see below; required
 *       pieces: 7,           // of each side; required
 *       position: "-/-/0-0/L", // LIGHT/DARK/HOME/TURN as everywhere in urcx
 *       mode: "setup",       // "view": look only; "setup": any piece anywhere; "move": legal moves
 *       moves: [],           // in mode "move": [{from, to}, ...], steps of the side to move
 *       arrows: [],          // [{from, to, side, rank, best}]: steps; rank is the label
 *       paths: [],           // the paths to draw: [], ["light"], ["dark"], ["light", "dark"]
 *       last: null,          // the last move, which is marked: {side, from, to}
 *       dice: [],            // [{side, marks, text, label, live, past}]: the dice next to a side's tiles;
 *                            // marks: whether each has a marked corner up, or [] for dice without
 *                            // corners; text is below them; a click throws live dice; past are pale
 *       label: "Board",      // for screen readers
 *       onChange(position, action) {}, // mode "setup": the new position, and the action in words
 *       onMove(move) {},     // mode "move": the chosen entry of `moves`
 *       onThrow() {},        // a click on live dice
 *       onNotice(text) {},   // the reason why an action is not possible
 *     });
 *     board.update({ position, mode, moves, arrows, paths, last, ... }); // any of the above
 *     board.position;        // the position on the board, as text
 *     board.focus("B4");     // a tile's name, or "light-start", "light-home", "dark-start", ..., "dice"
 *     board.destroy();       // removes the board from the element
 *
 * `geometry` is `{tiles: [{name, rosette}], light: [names], dark: [names]}`: every tile by
 * its name (a letter and a number, such as A4), and both paths as the names of their tiles in
 * order. Step 0 is the start pool, and the step after the last tile is home.
 *
 * Keys: arrows go from place to place. Enter or Space picks a piece up and puts it down, or plays
 * it in mode "move", or throws the dice. In mode "move", pieces with a legal move have a ring, and the
 * piece under the pointer or focus shows its target. Escape lets go of it. In mode "setup", L and D put a piece of that side onto a
 * tile, and Delete sends a piece back to its start pool.
 *
 * Colours are custom properties of the SVG element (--urcx-tile, --urcx-ink, ...) with a light and
 * a dark set. Pages that embed the board may set them. The board adopts one constructed style
 * sheet, which a strict Content-Security-Policy allows.
 */

const NS = "http://www.w3.org/2000/svg";
const T = 100; // the side of a tile; all lengths are in hundredths of it
const SIDES = ["light", "dark"];
const GAP = 34; // between the board and the pools
const POOL = 112;
const REACH = 30; // of a click on dice beyond their cells, so that a finger hits them
const LANES = 48; // the greatest width of all paths over the same tiles
const SLACK = 6; // pixels of movement from which a click is a drag

const LIGHT = `
  --urcx-ink: #22262e; --urcx-soft: #6a6f78; --urcx-tile: #fbf7ee; --urcx-shared: #e9e0cd;
  --urcx-line: #8d8471; --urcx-rosette: #8a6d1f; --urcx-pale: #fffdf8; --urcx-deep: #23304d;
  --urcx-edge: #5d5645; --urcx-deep-edge: #0f1729; --urcx-light-way: #1f6fb0;
  --urcx-dark-way: #b4532a; --urcx-best: #17694a; --urcx-other: #57606c; --urcx-focus: #1657c2;
  --urcx-pool: #f3eee2; --urcx-on: #ffffff; --urcx-last: #d8b44a;
`;
const DARK = `
  --urcx-ink: #e9e6df; --urcx-soft: #a6a9b0; --urcx-tile: #2c3038; --urcx-shared: #3a3d45;
  --urcx-line: #79808d; --urcx-rosette: #d9b85c; --urcx-pale: #f4efe2; --urcx-deep: #11182b;
  --urcx-edge: #0c0e12; --urcx-deep-edge: #93a5cf; --urcx-light-way: #6db3ea;
  --urcx-dark-way: #f0925f; --urcx-best: #66d3a4; --urcx-other: #b3bac6; --urcx-focus: #8ab8ff;
  --urcx-pool: #23262d; --urcx-on: #14171c; --urcx-last: #c9a227;
`;
const STYLE = `
.urcx-board {${LIGHT}
  display: block; width: 100%; height: auto; font-family: inherit; color: var(--urcx-ink);
  -webkit-user-select: none; user-select: none; overflow: visible;
}
@media (prefers-color-scheme: dark) { .urcx-board {${DARK}} }
@media print {
  .urcx-board {
    --urcx-ink: #000; --urcx-soft: #333; --urcx-tile: #fff; --urcx-shared: #eee; --urcx-line: #555;
    --urcx-rosette: #6b5313; --urcx-pale: #fff; --urcx-deep: #222; --urcx-edge: #000;
    --urcx-deep-edge: #000; --urcx-pool: #fff; --urcx-best: #000; --urcx-other: #555;
    --urcx-on: #fff; --urcx-light-way: #1f6fb0; --urcx-dark-way: #b4532a;
  }
}
.urcx-board .tile { fill: var(--urcx-tile); stroke: var(--urcx-line); stroke-width: 3; }
.urcx-board .tile.shared { fill: var(--urcx-shared); }
.urcx-board .frame { fill: none; stroke: var(--urcx-line); stroke-width: 2; opacity: .55; }
.urcx-board .eye { fill: var(--urcx-line); opacity: .8; }
.urcx-board .rosette { fill: var(--urcx-rosette); }
.urcx-board .name { fill: var(--urcx-soft); text-anchor: middle; }
.urcx-board .pool { fill: var(--urcx-pool); stroke: var(--urcx-line); stroke-width: 2; }
.urcx-board .pool.turn { stroke: var(--urcx-ink); stroke-width: 5; }
.urcx-board .pool-name { fill: var(--urcx-ink); }
.urcx-board .pool-name.turn { font-weight: 700; }
.urcx-board .piece { transition: transform .28s ease-out; }
.urcx-board .light .disc { fill: var(--urcx-pale); stroke: var(--urcx-edge); stroke-width: 4; }
.urcx-board .dark .disc { fill: var(--urcx-deep); stroke: var(--urcx-deep-edge); stroke-width: 4; }
.urcx-board .light .dot { fill: #23304d; }
.urcx-board .dark .dot { fill: #f4efe2; }
.urcx-board .light .ring { fill: none; stroke: #23304d; stroke-width: 5; }
.urcx-board .dark .ring { fill: none; stroke: #f4efe2; stroke-width: 5; }
.urcx-board .ghost { transition: none; opacity: .85; }
.urcx-board .lifted { opacity: .3; }
.urcx-board .way { fill: none; stroke-width: 6; stroke-linejoin: round; opacity: .9; }
.urcx-board .way.light { stroke: var(--urcx-light-way); }
.urcx-board .way.dark { stroke: var(--urcx-dark-way); stroke-dasharray: 16 9; }
.urcx-board .tip { stroke: none; opacity: .95; }
.urcx-board .tip.light, .urcx-board .step.light { fill: var(--urcx-light-way); }
.urcx-board .tip.dark, .urcx-board .step.dark { fill: var(--urcx-dark-way); }
.urcx-board .step { font-weight: 700; paint-order: stroke; stroke: var(--urcx-tile); stroke-width: 5px; }
.urcx-board .arrow { fill: none; stroke: var(--urcx-other); stroke-width: 6; stroke-dasharray: 13 8; }
.urcx-board .arrow.best { stroke: var(--urcx-best); stroke-width: 11; stroke-dasharray: none; }
.urcx-board .arrow-tip { fill: var(--urcx-other); }
.urcx-board .arrow-tip.best { fill: var(--urcx-best); }
.urcx-board .badge { fill: var(--urcx-on); stroke: var(--urcx-other); stroke-width: 4; }
.urcx-board .badge.best { fill: var(--urcx-best); stroke: var(--urcx-best); }
.urcx-board .badge-text { fill: var(--urcx-ink); text-anchor: middle; font-weight: 700; }
.urcx-board .badge-text.best { fill: var(--urcx-on); }
.urcx-board .last { fill: none; stroke: var(--urcx-last); stroke-width: 7; }
.urcx-board .last.from { stroke-dasharray: 10 10; }
.urcx-board .place { fill: transparent; stroke: none; outline: none; }
.urcx-board .place.live { cursor: pointer; }
.urcx-board .place.grab { cursor: grab; touch-action: none; }
.urcx-board .able { fill: none; stroke: var(--urcx-best); stroke-width: 6; }
.urcx-board .place.target { stroke: var(--urcx-best); stroke-width: 5; stroke-dasharray: 6 7; }
@media (hover: hover) { .urcx-board .place.quiet:not(:focus-visible) { stroke: none; } }
.urcx-board .place.pointed { stroke-width: 8; stroke-dasharray: none; }
.urcx-board .die { transform-box: fill-box; transform-origin: center; }
.urcx-board .die.cast { animation: urcx-cast .4s ease-out; }
.urcx-board .die path { fill: var(--urcx-ink); }
.urcx-board .die .edge { fill: none; stroke: var(--urcx-tile); stroke-width: 1.4; }
.urcx-board .die circle { fill: var(--urcx-tile); }
.urcx-board .dice.past { opacity: .45; }
.urcx-board .dice-text { fill: var(--urcx-ink); text-anchor: middle; font-weight: 700; }
.urcx-board .throw { fill: var(--urcx-best); }
.urcx-board .throw + .dice-text { fill: var(--urcx-on); }
@keyframes urcx-cast { from { transform: translateY(-26px) rotate(-140deg); opacity: .3; } }
.urcx-board .place.selected { stroke: var(--urcx-focus); stroke-width: 7; }
.urcx-board .place:focus-visible { stroke: var(--urcx-focus); stroke-width: 8; stroke-dasharray: none; }
.urcx-board.dragging, .urcx-board.dragging .place { cursor: grabbing; }
@media (prefers-reduced-motion: reduce) { .urcx-board .piece { transition: none; } .urcx-board .die { animation: none !important; } }
@media (forced-colors: active) {
  .urcx-board .place:focus-visible, .urcx-board .place.selected { stroke: Highlight; }
}
`;

/**
 * Parse a position's notation, without checking it by the rules.
 * @param {string} text LIGHT/DARK/HOME/TURN
 * @returns {{light: number[], dark: number[], home: number[], turn: string}}
 */
export function parsePosition(text) {
  const match = /^(-|\d+(?:,\d+)*)\/(-|\d+(?:,\d+)*)\/(\d+)-(\d+)\/([LD])$/.exec(text.trim());
  if (!match) throw new Error(`position ${text}: must be LIGHT/DARK/HOME/TURN, such as 2/3,6/5-5/L`);
  const steps = (part) => (part === "-" ? [] : part.split(",").map(Number));
  return {
    light: steps(match[1]),
    dark: steps(match[2]),
    home: [Number(match[3]), Number(match[4])],
    turn: match[5] === "L" ? "light" : "dark",
  };
}

/**
 * Write a position's notation.
 * @param {{light: number[], dark: number[], home: number[], turn: string}} position
 * @returns {string}
 */
export function formatPosition({ light, dark, home, turn }) {
  const part = (steps) => [...steps].sort((a, b) => a - b).join(",") || "-";
  return `${part(light)}/${part(dark)}/${home.join("-")}/${turn === "light" ? "L" : "D"}`;
}

/**
 * Draw a board into an element.
 * @param {Element} element
 * @param {object} options described at the top of this file
 * @returns {Board}
 */
export function createBoard(element, options) {
  return new Board(element, options);
}

function make(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

let sheet = null;

function adoptStyle(element) {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  const root = element.getRootNode();
  const owner = "adoptedStyleSheets" in root ? root : document;
  if (!owner.adoptedStyleSheets.includes(sheet)) {
    owner.adoptedStyleSheets = [...owner.adoptedStyleSheets, sheet];
  }
}

/** The places of tiles and pools, and the corners of both paths. */
class Layout {
  constructor(geometry) {
    this.tiles = new Map();
    const parsed = geometry.tiles.map((tile) => {
      const [, letter, number] = /^([A-Za-z]+)(\d+)$/.exec(tile.name);
      return { ...tile, letter, number: Number(number) };
    });
    this.letters = [...new Set(parsed.map((t) => t.letter))].sort().reverse();
    const numbers = parsed.map((t) => t.number);
    this.first = Math.min(...numbers);
    this.columns = Math.max(...numbers) - this.first + 1;
    this.scale = Math.max(1, this.columns / 8.5); // of letters, on long boards
    const inner = Math.max(this.columns * T, 6 * T);
    const notches = SIDES.map((side) => this.#notch(parsed, side));
    this.ways = { light: geometry.light, dark: geometry.dark };
    // Both sides of the board have room for the letters of the tiles, and for paths that begin or end
    // there.
    const room = 24 + 24 * this.scale;
    const out = this.#leaves(geometry) ? Math.max(room, 62) : room;
    this.left = out + (inner - this.columns * T) / 2;
    this.width = inner + 2 * out + (notches.every((notch) => notch !== null) ? 0 : 2 * T);
    this.pool = POOL + 25 * (this.scale - 1); // room for the letters above the pieces
    this.top = this.pool + GAP;
    this.bottom = this.top + this.letters.length * T;
    this.names = 12 + 24 * this.scale; // the line with the numbers of the tiles
    this.height = this.bottom + this.names + 8 + this.pool;
    for (const tile of parsed) {
      this.tiles.set(tile.name, {
        ...tile,
        x: this.left + (tile.number - this.first) * T,
        y: this.top + this.letters.indexOf(tile.letter) * T,
      });
    }
    // Dice lie on the empty cells between the tiles of a side, or else to the right of the board.
    this.dice = Object.fromEntries(SIDES.map((side, k) => {
      const h = T + REACH;
      const [x, y] = notches[k] === null ? [this.width - 2 * T, side === "dark" ? 0 : this.height - h]
        : [this.left + notches[k] * T, side === "dark" ? this.top - REACH : this.bottom - T];
      return [side, { id: "dice", kind: "dice", side, x, y, w: 2 * T, h }];
    }));
    const half = (inner - 16) / 2;
    const pool = (side, kind, x, y) => ({ id: `${side}-${kind}`, side, kind, x, y, w: half, h: this.pool });
    this.pools = [
      pool("dark", "start", out, 0),
      pool("dark", "home", out + half + 16, 0),
      pool("light", "start", out, this.height - this.pool),
      pool("light", "home", out + half + 16, this.height - this.pool),
    ];
    this.places = new Map();
    for (const p of this.pools) this.places.set(p.id, p);
    for (const [name, t] of this.tiles) {
      this.places.set(name, { id: name, kind: "tile", x: t.x, y: t.y, w: T, h: T });
    }
  }

  /** Return whether a path begins or ends at the left or right end of the board, so that it is drawn beyond it. */
  #leaves({ light, dark }) {
    const ends = [this.first, this.first + this.columns - 1];
    return [light, dark].some((way) => [[way[0], way[1]], [way.at(-1), way.at(-2)]].some(([tile, neighbour]) => {
      const number = Number(/\d+$/.exec(tile)[0]);
      return ends.includes(number) && (!neighbour || /^[A-Za-z]+/.exec(tile)[0] === /^[A-Za-z]+/.exec(neighbour)[0]);
    }));
  }

  /** Return the first of two empty columns in the outer row of a side, or null. */
  #notch(tiles, side) {
    const row = side === "dark" ? this.letters[0] : this.letters.at(-1);
    const free = (k) => k < this.columns && !tiles.some((t) => t.letter === row && t.number === this.first + k);
    const columns = Array.from({ length: this.columns }, (_, k) => k);
    return columns.find((k) => free(k) && free(k + 1)) ?? null;
  }

  centre(id) {
    const place = this.places.get(id);
    return [place.x + place.w / 2, place.y + place.h / 2];
  }

  /** Return the place of a piece on a step. */
  placeOf(side, step) {
    if (step <= 0) return `${side}-start`;
    const way = this.ways[side];
    return step > way.length ? `${side}-home` : way[step - 1];
  }

  /** Return the steps of a side's path on a tile. */
  stepsOn(side, name) {
    const steps = [];
    this.ways[side].forEach((tile, k) => tile === name && steps.push(k + 1));
    return steps;
  }

  at(x, y) {
    for (const p of this.places.values()) {
      if (x >= p.x && x < p.x + p.w && y >= p.y && y < p.y + p.h) return p.id;
    }
    return null;
  }

  /** Return the nearest place in a direction. */
  next(id, dx, dy) {
    const [x, y] = this.centre(id);
    let best = null;
    let least = Infinity;
    for (const other of this.places.keys()) {
      if (other === id) continue;
      const [u, v] = this.centre(other);
      const along = (u - x) * dx + (v - y) * dy;
      const across = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (along < T / 4) continue;
      const cost = along + 2.5 * across;
      if (cost < least) [best, least] = [other, cost];
    }
    return best ?? id;
  }

  /** Return the corners of a side's path, with a separate lane for each lap. */
  corners(side) {
    const way = this.ways[side];
    const sign = side === "light" ? 1 : -1;
    const laps = [];
    let seen = new Set();
    let lap = 0;
    for (const tile of way) {
      if (seen.has(tile)) {
        seen = new Set();
        lap += 1;
      }
      seen.add(tile);
      laps.push(lap);
    }
    const lane = Math.min(16, LANES / (2 * (lap + 1)));
    const points = way.map((tile, k) => {
      const [x, y] = this.centre(tile);
      const shift = sign * lane * (laps[k] + 0.5);
      return [x + shift, y + shift];
    });
    const beyond = ([a, b], [c, d]) => {
      const length = Math.hypot(c - a, d - b) || 1;
      const reach = (T / 2 + 26) / length;
      return [c + (c - a) * reach, d + (d - b) * reach];
    };
    const aside = ([x, y]) => [x - T / 2 - 26, y];
    if (points.length < 2) return [aside(points[0]), ...points, aside(points[0])];
    return [beyond(points[1], points[0]), ...points, beyond(points.at(-2), points.at(-1))];
  }
}

class Board {
  constructor(element, options) {
    this.options = {
      mode: "view", moves: [], arrows: [], paths: [], last: null, dice: [], label: "Board",
      position: "-/-/0-0/L", onChange() {}, onMove() {}, onThrow() {}, onNotice() {},
    };
    this.element = element;
    this.selected = null; // {side, step}: the piece that is picked up
    this.current = null; // the place that gets the focus with Tab
    this.pointed = undefined; // the place under the pointer or the focus
    this.pieces = []; // {side, step, element}
    this.svg = make("svg", { class: "urcx-board", role: "group", tabindex: "-1" });
    this.listeners = new AbortController();
    const on = (name, listener) =>
      this.svg.addEventListener(name, listener.bind(this), { signal: this.listeners.signal });
    on("keydown", this.#key);
    on("click", this.#click);
    on("pointerdown", this.#down);
    on("pointermove", this.#moved);
    on("pointerup", this.#up);
    on("pointercancel", this.#letGo);
    on("focusin", this.#focused);
    on("focusout", () => this.#pointAt());
    on("pointerover", (event) => event.pointerType === "mouse" && this.#pointAt(event.target.dataset?.place));
    on("pointerleave", () => this.#pointAt());
    element.append(this.svg);
    adoptStyle(element);
    this.update(options);
  }

  /** The position on the board, as text. */
  get position() {
    return formatPosition(this.state);
  }

  /**
   * Change some of the options, and draw the board again.
   * @param {object} options
   */
  update(options) {
    const redraw = "geometry" in options && options.geometry !== this.options.geometry;
    const mode = this.options.mode;
    const other = "position" in options && (!this.state || options.position !== this.position);
    Object.assign(this.options, options);
    if (!this.state || other) this.state = parsePosition(this.options.position);
    if (redraw) this.#drawBoard();
    this.svg.setAttribute("aria-label", this.options.label);
    if (redraw || other || mode !== this.options.mode) this.selected = null;
    this.#drawPools();
    this.#drawWays();
    this.#drawPieces();
    this.#drawArrows();
    const focused = this.svg.contains(this.svg.getRootNode().activeElement);
    const moved = this.#drawDice();
    this.#drawPlaces();
    if (focused && moved) this.focus(this.current); // from move to dice, and back
  }

  /**
   * Focus a place.
   * @param {string} id a tile's name, or light-start, light-home, dark-start, dark-home
   */
  focus(id) {
    this.hits.get(id)?.focus();
  }

  /** Remove the board from the page. */
  destroy() {
    this.listeners.abort();
    this.svg.remove();
  }

  #drawBoard() {
    const layout = new Layout(this.options.geometry);
    this.layout = layout;
    this.pieces = [];
    this.svg.setAttribute("viewBox", `0 -6 ${layout.width} ${layout.height + 12}`);
    const size = 25 * layout.scale;
    const tiles = make("g", { class: "tiles" });
    for (const [name, t] of layout.tiles) {
      const shared = layout.stepsOn("light", name).length > 0 && layout.stepsOn("dark", name).length > 0;
      tiles.append(make("rect", {
        class: `tile${shared ? " shared" : ""}`, x: t.x, y: t.y, width: T, height: T,
      }));
      if (shared) {
        for (const [dx, dy] of [[14, 14], [86, 14], [14, 86], [86, 86]]) {
          tiles.append(make("circle", { class: "eye", cx: t.x + dx, cy: t.y + dy, r: 5 }));
        }
      } else {
        tiles.append(make("rect", { class: "frame", x: t.x + 9, y: t.y + 9, width: 82, height: 82, rx: 6 }));
      }
      if (t.rosette) tiles.append(rosette(t.x + T / 2, t.y + T / 2));
    }
    const text = (x, y, name) => make("text", { class: "name", x, y, "font-size": size }, name);
    for (let k = 0; k < layout.columns; k += 1) {
      const x = layout.left + (k + 0.5) * T;
      tiles.append(text(x, layout.bottom + 6 + size * 0.9, String(layout.first + k)));
    }
    layout.letters.forEach((letter, k) => {
      tiles.append(text(layout.left - 8 - 12 * layout.scale, layout.top + (k + 0.5) * T + size / 3, letter));
    });
    this.layers = {};
    this.drawnDice = {};
    const layers = ["tiles", "pools", "dice", "ways", "marks", "pieces", "arrows", "steps"].map((name) => {
      this.layers[name] = name === "tiles" ? tiles : make("g", { class: name });
      return this.layers[name];
    });
    const drawn = make("g", { "aria-hidden": "true", "pointer-events": "none" }, ...layers);
    const places = make("g", { class: "places" });
    this.hits = new Map();
    for (const p of layout.places.values()) places.append(this.#hit(p));
    this.over = make("g", { "aria-hidden": "true", "pointer-events": "none" });
    this.svg.replaceChildren(drawn, places, this.over);
    if (!layout.places.has(this.current)) this.current = `${this.state.turn}-start`;
  }

  #hit({ id, x, y, w, h }) {
    const hit = make("rect", { class: "place", x: x + 3, y: y + 3, width: w - 6, height: h - 6, rx: 8, "data-place": id });
    this.hits.set(id, hit);
    return hit;
  }

  /** Return the number of a side's pieces in its start pool. */
  #waiting(side) {
    const home = this.state.home[side === "light" ? 0 : 1];
    return Math.max(0, this.options.pieces - home - this.state[side].length);
  }

  #homeOf(side) {
    return this.state.home[side === "light" ? 0 : 1];
  }

  #drawPools() {
    const size = 27 * this.layout.scale;
    const over = SIDES.some((side) => this.#homeOf(side) >= this.options.pieces);
    this.layers.pools.replaceChildren(...this.layout.pools.flatMap((pool) => {
      const turn = pool.side === this.state.turn && !over;
      const count = pool.kind === "start" ? this.#waiting(pool.side) : this.#homeOf(pool.side);
      const mark = turn && pool.kind === "start" ? "\u25b8 " : "";
      const label = pool.kind === "start" ? `${mark}${pool.side} start` : `${pool.side} home`;
      const name = make("text", {
        class: `pool-name${turn ? " turn" : ""}`, x: pool.x + 14, y: pool.y + 8 + size * 0.8, "font-size": size,
      }, label);
      const number = make("text", {
        class: `pool-name${turn ? " turn" : ""}`, x: pool.x + pool.w - 14, y: pool.y + 8 + size * 0.8,
        "font-size": size, "text-anchor": "end",
      }, String(count));
      const box = make("rect", {
        class: `pool${turn ? " turn" : ""}`, x: pool.x, y: pool.y, width: pool.w, height: pool.h, rx: 12,
      });
      return [box, name, number];
    }));
  }

  #drawWays() {
    const { ways, steps } = this.layers;
    ways.replaceChildren();
    steps.replaceChildren();
    for (const side of SIDES.filter((s) => this.options.paths.includes(s))) {
      const points = this.layout.corners(side);
      ways.append(make("polyline", { class: `way ${side}`, points: points.map((p) => p.join(",")).join(" ") }));
      const [[a, b], [c, d]] = points.slice(-2);
      const angle = (Math.atan2(d - b, c - a) * 180) / Math.PI;
      ways.append(make("path", {
        class: `tip ${side}`, d: "M-4,-14L22,0L-4,14Z", transform: `translate(${c},${d}) rotate(${angle})`,
      }));
      ways.append(make("circle", { class: `tip ${side}`, cx: points[0][0], cy: points[0][1], r: 9 }));
      const size = points.length > 20 ? 20 : 23; // tiles of long paths have two numbers per player
      for (const [name, t] of this.layout.tiles) {
        const [first, ...later] = this.layout.stepsOn(side, name);
        if (first === undefined) continue;
        const y = side === "light" ? t.y + T - 8 : t.y + size - 1;
        const [left, right] = side === "light" ? [first, later.join(",")] : [later.join(","), first];
        for (const [step, x, anchor] of [[left, t.x + 7, "start"], [right, t.x + T - 7, "end"]]) {
          if (step === "") continue;
          steps.append(make("text", { class: `step ${side}`, x, y, "font-size": size, "text-anchor": anchor }, String(step)));
        }
      }
    }
  }

  /** Return all pieces of the position with their places. A piece on a later lap is turned over. */
  #arrangement() {
    const all = [];
    const last = (side) => this.layout.ways[side].length + 1;
    for (const side of SIDES) {
      for (const step of this.state[side]) {
        const name = this.layout.placeOf(side, step);
        const [x, y] = this.layout.centre(name);
        all.push({ side, step, x, y, turned: this.layout.stepsOn(side, name)[0] !== step });
      }
      for (const [step, count] of [[0, this.#waiting(side)], [last(side), this.#homeOf(side)]]) {
        const pool = this.layout.places.get(this.layout.placeOf(side, step));
        const apart = count > 1 ? Math.min(64, (pool.w - 84) / (count - 1)) : 0;
        for (let k = 0; k < count; k += 1) {
          all.push({ side, step, x: pool.x + 42 + k * apart, y: pool.y + pool.h - 38, turned: false });
        }
      }
    }
    return all;
  }

  #drawPieces() {
    const wanted = this.#arrangement();
    const free = new Set(this.pieces);
    const take = (test) => {
      for (const piece of free) {
        if (test(piece)) {
          free.delete(piece);
          return piece;
        }
      }
      return null;
    };
    // Match the pieces that stay first, so that the animation moves the right piece.
    const pieces = wanted.map((w) => take((p) => p.side === w.side && p.step === w.step && p.x === w.x));
    wanted.forEach((w, k) => {
      pieces[k] ??= take((p) => p.side === w.side && p.step === w.step);
    });
    wanted.forEach((w, k) => {
      const old = pieces[k] ?? take((p) => p.side === w.side);
      const element = old?.element ?? this.layers.pieces.appendChild(make("g", { class: `piece ${w.side}` }));
      if (!old || old.turned !== w.turned) element.replaceChildren(...disc(w.turned));
      element.style.transform = `translate(${w.x}px, ${w.y}px)`;
      if (old && (old.x !== w.x || old.y !== w.y)) this.layers.pieces.append(element);
      pieces[k] = { ...w, element };
    });
    for (const piece of free) piece.element.remove();
    this.pieces = pieces;
  }

  #drawArrows() {
    const { arrows, marks } = this.layers;
    marks.replaceChildren();
    const { last } = this.options;
    if (last) {
      for (const [kind, step] of [["from", last.from], ["to", last.to]]) {
        const p = this.layout.places.get(this.layout.placeOf(last.side, step));
        if (p.kind !== "tile") continue;
        marks.append(make("rect", {
          class: `last ${kind}`, x: p.x + 6, y: p.y + 6, width: p.w - 12, height: p.h - 12, rx: 8,
        }));
      }
    }
    if (this.options.mode === "move" && !this.options.arrows.length) {
      for (const { from } of this.options.moves) {
        const [cx, cy] = this.#anchor(this.state.turn, from);
        marks.append(make("circle", { class: "able", cx, cy, r: 39 }));
      }
    }
    // Draw the best move's arrow last, on top of the others.
    const sorted = [...this.options.arrows].sort((a, b) => Number(Boolean(a.best)) - Number(Boolean(b.best)));
    arrows.replaceChildren(...sorted.flatMap((arrow) => this.#arrow(arrow)));
  }

  /** Return the middle of the piece that moves from or to a step. */
  #anchor(side, step) {
    const id = this.layout.placeOf(side, step);
    const place = this.layout.places.get(id);
    if (place.kind === "tile") return this.layout.centre(id);
    const count = place.kind === "start" ? this.#waiting(side) : this.#homeOf(side);
    const apart = count > 1 ? Math.min(64, (place.w - 84) / (count - 1)) : 0;
    const k = place.kind === "start" ? Math.max(0, count - 1) : 0;
    return [place.x + 42 + k * apart, place.y + place.h - 38];
  }

  #arrow({ from, to, side = this.state.turn, rank, best }) {
    const [a, b] = this.#anchor(side, from);
    const [c, d] = this.#anchor(side, to);
    const length = Math.hypot(c - a, d - b) || 1;
    const bend = Math.min(46, length * 0.2) * (side === "light" ? 1 : -1);
    const [mx, my] = [(a + c) / 2 + ((d - b) / length) * bend, (b + d) / 2 - ((c - a) / length) * bend];
    // The arrow ends before the middle of the tile, so it does not hide a piece there.
    const [ex, ey] = [c - mx, d - my];
    const end = Math.hypot(ex, ey) || 1;
    const size = best ? 30 : 24;
    const [tx, ty] = [c - (ex / end) * 14, d - (ey / end) * 14];
    const [sx, sy] = [tx - (ex / end) * size * 0.8, ty - (ey / end) * size * 0.8];
    const kind = best ? " best" : "";
    const angle = (Math.atan2(ey, ex) * 180) / Math.PI;
    const drawn = [
      make("path", { class: `arrow${kind}`, d: `M${a},${b}Q${mx},${my} ${sx},${sy}` }),
      make("path", {
        class: `arrow-tip${kind}`, d: `M${-size},${-size * 0.55}L0,0L${-size},${size * 0.55}Z`,
        transform: `translate(${tx},${ty}) rotate(${angle})`,
      }),
    ];
    if (rank !== undefined && rank !== null) {
      const r = 17 * Math.min(1.25, this.layout.scale);
      drawn.push(
        make("circle", { class: `badge${kind}`, cx: a, cy: b, r }),
        make("text", { class: `badge-text${kind}`, x: a, y: b + r * 0.45, "font-size": r * 1.3 }, String(rank)),
      );
    }
    return drawn;
  }

  /**
   * Draw the dice of both sides. They are new elements only after another throw, which they show by falling.
   * @returns {boolean} whether other dice, or none, are to be thrown
   */
  #drawDice() {
    const { dice } = this.options;
    const { layout } = this;
    for (const side of SIDES) {
      const entry = dice.find((d) => d.side === side);
      const key = JSON.stringify(entry ?? null);
      if (this.drawnDice[side]?.key === key) continue;
      this.drawnDice[side]?.element.remove();
      const element = make("g", { class: `dice${entry?.past ? " past" : ""}` });
      if (entry) element.append(...this.#castDice(entry));
      this.layers.dice.append(element);
      this.drawnDice[side] = { key, element };
    }
    const live = dice.find((d) => d.live);
    const box = live && layout.dice[live.side];
    if (layout.places.get("dice") === box) return false;
    const old = this.hits.get("dice");
    this.hits.delete("dice");
    layout.places.delete("dice");
    this.current = layout.placeOf(this.state.turn, this.options.moves[0]?.from ?? 0);
    old?.remove();
    if (!box) return true;
    layout.places.set("dice", box);
    this.current = "dice";
    this.svg.querySelector(".places").append(this.#hit(box));
    return true;
  }

  #castDice({ side, marks, text, live, past }) {
    const { x, w, ...box } = this.layout.dice[side];
    const y = box.y + (side === "dark" ? REACH : 0);
    const size = Math.min(2, (w - 24) / 24 / marks.length);
    const drawn = marks.map((mark, k) => make("g", {
      transform: `translate(${x + w / 2 + 24 * size * (k - marks.length / 2)},${y + 8}) scale(${size})`,
    }, make("g", { class: live || past ? "die" : "die cast" }, make("path", { d: "M12 1 23 20H1Z" }),
      mark ? make("circle", { cx: 12, cy: 13.5, r: 4.5 }) : make("path", { class: "edge", d: "M12 1V13.5L1 20M12 13.5 23 20" }))));
    const label = make("text", { class: "dice-text", x: x + w / 2, y: y + 84, "font-size": live ? 28 : 36 }, text);
    if (!live) return [...drawn, label];
    return [...drawn, make("rect", { class: "throw", x: x + 28, y: y + 54, width: w - 56, height: 42, rx: 21 }), label];
  }

  /** Mark the place under the pointer, or else with the visible focus: its piece shows its target. */
  #pointAt(id = this.svg.querySelector(".place:focus-visible")?.dataset.place) {
    if (this.pointed === id) return;
    this.pointed = id;
    this.#drawPlaces();
  }

  /** Give every place its label and role for screen readers, and mark the places of possible actions. */
  #drawPlaces() {
    const { mode, moves } = this.options;
    const targets = new Set();
    const lively = new Set();
    const pointed = new Set();
    if (mode === "move") {
      for (const move of moves) {
        const [from, to] = [move.from, move.to].map((step) => this.layout.placeOf(this.state.turn, step));
        lively.add(from);
        if (!this.selected || this.selected.step === move.from) targets.add(to);
        if (this.selected ? this.selected.step === move.from : this.pointed === from) pointed.add(to);
      }
    } else if (mode === "setup" && this.selected) {
      for (const id of this.layout.places.keys()) {
        if (this.#allows(this.selected.side, id) && !this.#on(id).length) targets.add(id);
      }
      const { side } = this.selected;
      targets.add(`${side}-start`).add(`${side}-home`);
    }
    const chosen = this.selected && this.layout.placeOf(this.selected.side, this.selected.step);
    for (const [id, hit] of this.hits) {
      const grab = mode === "setup" ? this.#on(id).length > 0 : lively.has(id);
      hit.setAttribute("aria-label", this.#label(id));
      hit.setAttribute("class", ["place", mode !== "view" && "live", grab && mode !== "view" && "grab",
        mode !== "view" && targets.has(id) && "target", mode === "move" && targets.has(id) && (pointed.has(id) ? "pointed" : "quiet"), id === chosen && "selected"].filter(Boolean).join(" "));
      if (mode === "view") {
        hit.setAttribute("role", "img");
        hit.removeAttribute("tabindex");
        hit.removeAttribute("aria-pressed");
      } else {
        hit.setAttribute("role", "button");
        hit.setAttribute("tabindex", id === this.current ? "0" : "-1");
        if (mode === "setup") hit.setAttribute("aria-pressed", String(id === chosen));
        else hit.removeAttribute("aria-pressed");
      }
    }
  }

  /** Return the pieces on a place: [{side, step}]. */
  #on(id) {
    const place = this.layout.places.get(id);
    if (place.kind === "start") return Array(this.#waiting(place.side)).fill({ side: place.side, step: 0 });
    if (place.kind === "home") {
      const step = this.layout.ways[place.side].length + 1;
      return Array(this.#homeOf(place.side)).fill({ side: place.side, step });
    }
    return SIDES.flatMap((side) =>
      this.state[side].filter((step) => this.layout.placeOf(side, step) === id).map((step) => ({ side, step })));
  }

  #label(id) {
    const place = this.layout.places.get(id);
    if (place.kind === "dice") return this.options.dice.find((d) => d.live).label;
    const pieces = this.#on(id);
    if (place.kind !== "tile") {
      const name = place.kind === "start" ? "start pool" : "home";
      return `${place.side}'s ${name}: ${pieces.length} ${pieces.length === 1 ? "piece" : "pieces"}${this.#destination(id)}`;
    }
    const tile = this.layout.tiles.get(id);
    const steps = SIDES.map((side) => [side, this.layout.stepsOn(side, id)]).filter(([, s]) => s.length);
    const kinds = [tile.rosette && "rosette", steps.length > 1 ? "shared" : "private"].filter(Boolean);
    const content = pieces.length ? pieces.map((p) => `${p.side} piece on step ${p.step}`).join(", ") : "empty";
    return `${id}, ${kinds.join(", ")}: ${content}${this.#destination(id)}`;
  }

  #destination(id) {
    if (this.options.mode !== "move") return "";
    const { turn } = this.state;
    const move = this.options.moves.find((m) => this.layout.placeOf(turn, m.from) === id);
    return move ? `, moves to ${this.layout.placeOf(turn, move.to).replace("-", "'s ")}` : "";
  }

  #allows(side, id) {
    const place = this.layout.places.get(id);
    return place.kind === "tile" ? this.layout.stepsOn(side, id).length > 0 : place.side === side;
  }

  #select(piece) {
    this.selected = piece;
    this.#drawPlaces();
  }

  /** Put a piece on a place. A piece that is already there goes to its start pool. */
  #put(piece, id, step) {
    const { side } = piece;
    if (!this.#allows(side, id)) {
      this.options.onNotice(this.layout.places.get(id).kind === "tile"
        ? `${side}'s path does not cross ${id}`
        : `${side}'s pieces can only be in ${side}'s start pool and home`);
      return false;
    }
    const state = { light: [...this.state.light], dark: [...this.state.dark], home: [...this.state.home], turn: this.state.turn };
    const index = side === "light" ? 0 : 1;
    const end = this.layout.ways[side].length + 1;
    if (piece.step === end) state.home[index] -= 1;
    else if (piece.step > 0) state[side].splice(state[side].indexOf(piece.step), 1);
    const place = this.layout.places.get(id);
    if (place.kind === "tile") {
      for (const other of SIDES) {
        state[other] = state[other].filter((s) => this.layout.placeOf(other, s) !== id);
      }
      state[side].push(step ?? this.layout.stepsOn(side, id)[0]);
    } else if (place.kind === "home") state.home[index] += 1;
    this.state = state;
    this.options.position = this.position;
    const target = place.kind === "tile" ? id : `${side}'s ${place.kind === "start" ? "start pool" : "home"}`;
    // After a piece from the start pool, the next piece of the pool is picked up.
    const more = piece.step === 0 && place.kind === "tile" && this.#waiting(side) > 0;
    this.selected = more ? { side, step: 0 } : null;
    this.update({});
    this.options.onChange(this.position, `${side} piece put on ${target}`);
    return true;
  }

  #move(id) {
    const { turn } = this.state;
    const place = (step) => this.layout.placeOf(turn, step);
    const { moves } = this.options;
    const move = moves.find((m) => place(m.from) === id) ?? moves.find((m) => place(m.to) === id);
    if (move) this.options.onMove(move);
    else if (this.options.dice.some((d) => d.live)) this.options.onNotice("Throw the dice first");
    else if ((moves.length || !this.options.dice.length) && this.#on(id).some((p) => p.side === turn)) this.options.onNotice("This piece has no legal move with this roll");
    return Boolean(move);
  }

  #act(id) {
    const { mode } = this.options;
    if (id === "dice") {
      this.options.onThrow();
      return;
    }
    if (mode === "move") {
      this.#move(id);
      return;
    }
    if (mode !== "setup") return;
    const [occupant] = this.#on(id);
    if (!this.selected) {
      if (occupant) this.#select(occupant);
      else this.options.onNotice("Pick up a piece first, from a tile or a pool");
      return;
    }
    const piece = this.selected;
    if (this.layout.placeOf(piece.side, piece.step) === id) {
      const steps = this.layout.stepsOn(piece.side, id);
      if (steps.length > 1) {
        // The path crosses the tile again, so the piece goes to the next of these steps.
        this.#put(piece, id, steps[(steps.indexOf(piece.step) + 1) % steps.length]);
      } else this.#select(null);
      return;
    }
    const ownPool = this.layout.places.get(id).kind !== "tile" && this.#allows(piece.side, id);
    if (occupant && !ownPool) this.#select(occupant);
    else this.#put(piece, id);
  }

  #click(event) {
    const id = event.target.dataset?.place;
    if (!id || this.dragged) return;
    this.#act(id);
  }

  #focused(event) {
    const id = event.target.dataset?.place;
    if (!id || this.options.mode === "view") return;
    this.hits.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = id;
    this.hits.get(id).setAttribute("tabindex", "0");
    this.#pointAt();
  }

  #key(event) {
    const id = event.target.dataset?.place;
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const setup = this.options.mode === "setup";
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key in ways) this.focus(this.layout.next(id, ...ways[key]));
    else if (key === "Enter" || key === " ") this.#act(id);
    else if (key === "Escape" && this.selected) this.#select(null);
    else if (setup && (key === "Delete" || key === "Backspace")) {
      const [piece] = this.#on(id);
      if (piece) this.#put(piece, `${piece.side}-start`);
    } else if (setup && (key === "l" || key === "d")) {
      const side = key === "l" ? "light" : "dark";
      if (this.#waiting(side) > 0) this.#put({ side, step: 0 }, id);
      else this.options.onNotice(`${side}'s start pool is empty`);
      this.#select(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #point(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [at.x, at.y];
  }

  #down(event) {
    this.dragged = false;
    const id = event.target.dataset?.place;
    if (!id || event.button !== 0 || !event.target.classList.contains("grab")) return;
    const piece = this.options.mode === "move"
      ? this.#on(id).find((p) => p.side === this.state.turn) : this.#on(id)[0];
    if (piece) this.drag = { piece, from: id, x: event.clientX, y: event.clientY, ghost: null, id: event.pointerId };
  }

  #moved(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.id) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < SLACK) return;
      this.svg.setPointerCapture(event.pointerId);
      this.svg.classList.add("dragging");
      const original = this.pieces.filter((p) => p.side === drag.piece.side && p.step === drag.piece.step).at(-1);
      drag.lifted = original?.element;
      drag.lifted?.classList.add("lifted");
      drag.ghost = make("g", { class: `piece ghost ${drag.piece.side}` }, ...disc(original?.turned));
      this.over.append(drag.ghost);
      this.dragged = true;
      this.#select(drag.piece);
    }
    const [x, y] = this.#point(event);
    drag.ghost.style.transform = `translate(${x}px, ${y}px)`;
  }

  #up(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.id) return;
    const target = drag.ghost && this.layout.at(...this.#point(event));
    this.#letGo(event);
    if (!target || target === drag.from) return;
    if (this.options.mode === "setup") {
      this.#put(drag.piece, target);
      this.#select(null);
      return;
    }
    const { turn } = this.state;
    const move = this.options.moves.find((m) => m.from === drag.piece.step && this.layout.placeOf(turn, m.to) === target);
    if (move) this.options.onMove(move);
    else this.options.onNotice("This is not a legal move with this roll");
  }

  #letGo(event) {
    const { drag } = this;
    this.drag = null;
    if (!drag?.ghost) return;
    if (this.svg.hasPointerCapture(event.pointerId)) this.svg.releasePointerCapture(event.pointerId);
    this.svg.classList.remove("dragging");
    drag.lifted?.classList.remove("lifted");
    drag.ghost.remove();
    this.#select(null);
    // Ignore the click that the browser sends after a drag.
    setTimeout(() => { this.dragged = false; });
  }
}

/** Draw a flower of eight petals. */
function rosette(x, y) {
  const petals = Array.from({ length: 8 }, (_, k) =>
    make("ellipse", { cx: 0, cy: -24, rx: 8.5, ry: 17, transform: `rotate(${k * 45})` }));
  return make("g", { class: "rosette", transform: `translate(${x},${y})` }, ...petals, make("circle", { r: 7 }));
}

/** Draw the face of a piece: five dots, or a ring if it has been turned over for another lap. */
function disc(turned) {
  const face = make("circle", { class: "disc", r: 31 });
  if (turned) return [face, make("circle", { class: "ring", r: 15 }), make("circle", { class: "dot", r: 5 })];
  const dots = [[0, 0], [12, 12], [12, -12], [-12, 12], [-12, -12]];
  return [face, ...dots.map(([cx, cy]) => make("circle", { class: "dot", cx, cy, r: 4.2 }))];
}
