/** The page: its state, the address that contains it, the views, and the keys. */

import * as api from "./api.js";
import { createBoard } from "./board.js";
import { countsView } from "./counts.js";
import { $, fill, h, lasting, memory, notice, percent, say } from "./dom.js";
import { ApiError, NO_ANSWER } from "./errors.js";
import { exploreView } from "./explore.js";
import { introduction } from "./intro.js";
import { playView } from "./play.js";
import { reviewView } from "./review.js";
import { digitsOf, estimated } from "./solving.js";
import { chanceBar, redrawn } from "./values.js";

const NAMES = ["explore", "play", "review", "counts"];
const START = "-/-/0-0/L";
const USUAL = 7; // pieces in the list, which has other numbers too
const OTHER = "other";
const AGAIN = 2000; // milliseconds until the next request to a server that did not answer

/** The parts that all views share. */
class App {
  constructor() {
    this.state = { view: "explore", rules: "", pieces: 0, position: START, roll: null };
    this.catalogue = null;
    this.geometry = null; // the answer of /api/board
    this.board = null;
    this.views = {};
    this.past = []; // earlier positions, for Undo
    this.future = []; // later positions, for Redo
    this.search = ""; // the query in the address
    this.good = null; // the last position that was shown with its values
    this.away = false; // whether the server does not answer
  }

  /** The current view. */
  get view() {
    return this.views[this.state.view];
  }

  /** The current position, with its game and roll. */
  get place() {
    const { rules, pieces, position, roll } = this.state;
    return { rules, pieces, position, roll };
  }

  async start() {
    this.catalogue = await api.get("catalogue");
    const { catalogue } = this;
    fill($("rules"), catalogue.rules.map((r) => h("option", { value: r.name }, r.name)));
    // An exported file has few games, and lists their numbers of pieces.
    const numbers = catalogue.pieces ?? [...Array(USUAL).keys()].map((n) => n + 1);
    fill($("pieces"), numbers.map((n) => h("option", { value: n }, n)), catalogue.pieces ? null : h("option", { value: OTHER }, OTHER));
    $("pieces-other").max = catalogue.most_pieces;
    const make = { explore: exploreView, play: playView, review: reviewView, counts: countsView };
    for (const name of NAMES) this.views[name] = make[name](this);
    this.#listen();
    await this.#open(new URLSearchParams(location.search));
    if (await this.introduced) await this.views.play.first();
  }

  /** Show the state in an address. A wrong part is left out, and the first error is shown. */
  async #open(query) {
    const { catalogue } = this;
    const first = catalogue.default;
    const { search } = location;
    const entry = (name) => catalogue.rules.find((r) => r.name === name || r.aliases.includes(name));
    let fault = "";
    let rules = entry(first.rules);
    let pieces = first.pieces;
    if (query.has("rules")) {
      const match = entry(query.get("rules"));
      if (match) {
        rules = match;
        pieces = match.name === first.rules ? first.pieces : match.pieces;
      } else fault = `rules ${query.get("rules")}: must be in the list of rules`;
    }
    const number = (name) => {
      const text = query.get(name);
      if (text !== null && !/^\d+$/.test(text)) fault ||= `${name} ${text}: must be a number`;
      return /^\d+$/.test(text ?? "") ? Number(text) : null;
    };
    pieces = number("pieces") ?? pieces;
    const view = NAMES.includes(query.get("view")) ? query.get("view") : first.view ?? "explore"; // a file with one review opens on it
    if (query.has("view") && view !== query.get("view")) fault ||= `view ${query.get("view")}: must be one of ${NAMES.join(", ")}`;
    const plain = !["view", "rules", "pieces", "position", "roll"].some((name) => query.has(name));
    let position = query.get("position") ?? (plain ? first.position : START);
    let roll = number("roll") ?? (plain ? first.roll : null);
    try {
      await this.#load(rules.name, pieces);
    } catch (error) {
      if (error.status === NO_ANSWER) throw error;
      fault ||= error.message;
      await this.#load(first.rules, first.pieces);
    }
    if (plain && !memory.get("seen")) this.introduced = introduction(this); // a link opens what it names
    if (position !== START) {
      const check = await api.get("check", { rules: this.state.rules, pieces: this.state.pieces, position });
      if (!check.ok) {
        fault ||= check.error;
        position = START;
      } else position = check.position;
    }
    const rolls = this.geometry.dice.rolls.map((r) => r.roll);
    if (roll !== null && !rolls.includes(roll)) {
      fault ||= `roll ${roll}: must be one of ${rolls.join(", ")}`;
      roll = null;
    }
    this.search = search;
    this.view.leave?.();
    Object.assign(this.state, { position, roll, view });
    await this.#enter();
    notice(fault);
  }

  async #load(rules, pieces) {
    const geometry = await api.get("board", { rules, pieces });
    this.geometry = geometry;
    Object.assign(this.state, { rules: geometry.rules, pieces: geometry.pieces });
    this.#showGame();
    const shape = { geometry, pieces: geometry.pieces, position: START, arrows: [], moves: [], dice: [], last: null };
    if (this.board) this.board.update(shape);
    else {
      this.board = createBoard($("board"), {
        ...shape,
        onChange: (position, action) => this.view.changed?.(position, action),
        onMove: (move) => this.view.moved?.(move),
        onThrow: () => this.view.thrown?.(),
        onNotice: (text) => notice(text),
      });
    }
  }

  /** Show the rules and the number of pieces at the top of the page. */
  #showGame() {
    const { rules, pieces } = this.state;
    $("rules").value = rules;
    $("pieces").value = pieces;
    const other = $("pieces-other");
    other.hidden = $("pieces").value !== "";
    if (!other.hidden) $("pieces").value = OTHER;
    other.value = pieces;
  }

  /** Write the game into the title of the page, and its rules into the help. */
  about({ rules, in_words: paragraphs, dice }) {
    document.title = `${this.state.view} \u00b7 ${rules} \u00b7 urcx`;
    const chances = dice.rolls.map(({ roll, chance }) => `${roll}:\u00a0${chance}`).join(", ");
    fill($("about"), [...paragraphs, `Probabilities of the rolls: ${chances}.`].map((text) => h("p", {}, text)));
  }

  /** Change the rules or the number of pieces. The position stays if the new game has it. If not, Undo restores it. */
  async choose(rules, pieces) {
    const { place, past } = this;
    notice("");
    const stays = this.state.view === "explore" && rules === place.rules && (await api.get("check", { rules, pieces, position: place.position })).ok;
    await this.#load(rules, pieces);
    if (!stays) Object.assign(this.state, { position: START, roll: null });
    this.past = [...past, place];
    this.future = [];
    say(`${this.state.rules} with ${this.state.pieces} pieces`);
    await this.#enter(); // without a new entry in the browser's history, because Undo leads back
    if (this.state.view === "explore" && place.position !== this.state.position) notice("This is the start of another game. Undo restores the last position.");
  }

  /**
   * Go to a position. Undo leads back.
   * @param {string} position
   * @param {number|null} [roll]
   */
  async go(position, roll = null) {
    if (position === this.state.position && roll === this.state.roll) return;
    this.past.push(this.place);
    this.future = [];
    await this.#to({ ...this.place, position, roll });
  }

  /** Undo (-1) or redo (1) a change of the position. */
  async step(way) {
    const [from, to] = way < 0 ? [this.past, this.future] : [this.future, this.past];
    if (!from.length) return;
    to.push(this.place);
    await this.#to(from.pop());
    say(way < 0 ? "undone" : "redone");
  }

  async #to(place) {
    const { rules, pieces } = this.state;
    notice("");
    if (place.rules !== rules || place.pieces !== pieces) {
      await this.#load(place.rules, place.pieces);
      this.about(this.geometry);
    }
    Object.assign(this.state, place);
    this.address();
    await this.view.refresh();
  }

  /** Remember the current position, in case the next request gets no answer. */
  settled() {
    this.good = { place: this.place, past: [...this.past], future: [...this.future] };
  }

  /** Go back to the remembered position, if it belongs to this game, and return whether it does. */
  restored() {
    const { rules, pieces } = this.state;
    if (this.good?.place.rules !== rules || this.good.place.pieces !== pieces) return false;
    const { place, past, future } = this.good;
    Object.assign(this.state, place);
    Object.assign(this, { past: [...past], future: [...future] });
    this.address();
    return true;
  }

  /** Write the state into the address; with `push`, the Back button leads to the last address. */
  address(push = false) {
    const { view, rules, pieces, position, roll } = this.state;
    const query = new URLSearchParams();
    if (view !== "explore") query.set("view", view);
    query.set("rules", rules);
    query.set("pieces", pieces);
    if (view === "explore" || view === "play") {
      if (position !== START) query.set("position", position);
      if (roll !== null) query.set("roll", roll);
    }
    const text = `?${query.toString().replaceAll("%2F", "/").replaceAll("%2C", ",")}`;
    if (text !== location.search) history[push ? "pushState" : "replaceState"](null, "", text);
    this.search = location.search; // a file keeps its address
  }

  /** Show another view. */
  async show(name) {
    if (name === this.state.view) return;
    const { rules, pieces } = this.state;
    await api.get("values", { rules, pieces }); // if the server does not answer, this view stays
    this.view.leave?.();
    // A game begins at the start, unless the user has chosen another position.
    if (name === "play" && this.past.every(({ position }) => position === this.state.position) && this.state.position === this.catalogue.default.position) this.state.position = START;
    this.state.view = name;
    notice("");
    await this.#enter(true);
  }

  /** Show the review of the game in the view Play. */
  async review() {
    this.views.review.ownGame();
    await this.show("review");
  }

  async #enter(push = false) {
    const { view } = this.state;
    for (const name of NAMES) {
      const tab = $(`tab-${name}`);
      tab.setAttribute("aria-selected", String(name === view));
      tab.tabIndex = name === view ? 0 : -1;
    }
    $("panel").setAttribute("aria-labelledby", `tab-${view}`);
    $("table").hidden = view === "counts";
    $("tools").hidden = view !== "explore";
    document.body.classList.toggle("wide", view === "counts");
    // These two views have their own choice of game.
    $("game").hidden = view === "counts" || view === "review";
    this.about(this.geometry);
    fill($("under"));
    this.status(null);
    this.address(push);
    this.top();
    await this.view.enter();
  }

  /** Draw the board with the options of a view, and the paths of the check boxes. */
  draw(options) {
    const paths = ["light", "dark"].filter((side) => $(`way-${side}`).checked);
    const { geometry } = this;
    this.board.update({ geometry, pieces: geometry.pieces, arrows: [], moves: [], dice: [], last: null, ...options, paths });
  }

  /**
   * Show the state of the game and the win probabilities above the board.
   * @param {string|Array<string|Element>} title
   * @param {number|null} light light's win probability
   * @param {number|null} before light's win probability before the move
   * @param {object|null} view the answer with the win probability, which may be an estimate
   */
  headline(title, light = null, before = null, view = null) {
    const line = $("headline");
    const [near, digits] = [estimated(view), digitsOf(view)];
    fill($("bar"), chanceBar(light, digits));
    if (light === null) {
      fill(line, h("span", {}, title));
      return;
    }
    const was = before === null ? "" : `${percent(before, digits)} \u2192 `;
    fill(line, h("span", {}, title), h("span", {}, `light ${near ? "\u2248 " : ""}${was}`, h("strong", {}, percent(light, digits)), before === null ? h("span", { class: "other" }, " \u00b7 dark ", h("strong", {}, percent(1 - light, digits))) : null));
  }

  /** Scroll the page and the panel to the top. */
  top() {
    $("panel").scrollTop = 0;
    scrollTo(0, 0);
  }

  /**
   * Show one line above the board, or remove it.
   * @param {Element|null} line
   */
  status(line) {
    redrawn($("status"), () => fill($("status"), line));
  }

  /** Carry out some work, and show its error on the page. */
  async run(work) {
    try {
      return await work();
    } catch (error) {
      if (error.name === "AbortError") return undefined;
      if (error.status === NO_ANSWER) {
        notice("");
        this.#wait();
        return undefined;
      }
      notice(error.message);
      if (!(error instanceof ApiError)) console.error(error);
      return undefined;
    }
  }

  /** Show that the server does not answer, and go on when it does. */
  async #wait() {
    if (this.away) return;
    this.away = true;
    const port = location.port ? ` --port ${location.port}` : "";
    lasting(`urcx explore does not answer. Start it again with urcx explore${port}, and this page goes on.`);
    for (let answer = null; !answer;) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
      answer = await api.get("catalogue").catch(() => null);
    }
    this.away = false;
    lasting("");
    if (!this.view) location.reload();
    else if (location.search !== this.search) this.run(() => this.#open(new URLSearchParams(location.search)));
    else this.run(() => this.view.refresh());
  }

  /** Roll the dice with their probabilities. */
  throwDice() {
    let left = Math.random();
    const { rolls } = this.geometry.dice;
    return (rolls.find((r) => (left -= r.chance_decimal) < 0) ?? rolls.at(-1)).roll;
  }

  #listen() {
    const rules = () => {
      const name = $("rules").value;
      const { pieces } = this.catalogue.rules.find((r) => r.name === name);
      const first = this.catalogue.default;
      change(name, name === first.rules ? first.pieces : pieces);
    };
    const change = (name, pieces) => this.run(async () => {
      try {
        await this.choose(name, pieces);
      } catch (error) {
        this.#showGame();
        throw error;
      }
    });
    $("rules").addEventListener("change", rules);
    const other = $("pieces-other");
    $("pieces").addEventListener("change", () => {
      other.hidden = $("pieces").value !== OTHER;
      if (other.hidden) change(this.state.rules, Number($("pieces").value));
      else other.focus();
    });
    other.addEventListener("change", () => change(this.state.rules, Number(other.value)));
    for (const side of ["light", "dark"]) {
      $(`way-${side}`).checked = Boolean(memory.get(`way-${side}`));
      $(`way-${side}`).addEventListener("change", (event) => {
        memory.set(`way-${side}`, event.target.checked);
        this.draw(this.board.options);
      });
    }
    $("keys-on").checked = memory.get("keys") !== false;
    $("keys-on").addEventListener("change", (event) => memory.set("keys", event.target.checked));
    $("how").addEventListener("click", () => this.run(async () => {
      $("help").hidePopover();
      if (await introduction(this)) await this.views.play.first();
    }));
    $("notice-close").addEventListener("click", () => { $("notice").hidden = true; });
    for (const name of NAMES) {
      const tab = $(`tab-${name}`);
      tab.addEventListener("click", () => this.run(() => this.show(name)));
      tab.addEventListener("keydown", (event) => {
        const visible = NAMES.filter((view) => $(`tab-${view}`).checkVisibility());
        const k = visible.indexOf(name);
        const way = { ArrowLeft: k + visible.length - 1, ArrowRight: k + 1, Home: 0, End: visible.length - 1 }[event.key];
        if (way === undefined) return;
        event.preventDefault();
        const next = visible[way % visible.length];
        $(`tab-${next}`).focus();
        this.run(() => this.show(next));
      });
    }
    window.addEventListener("popstate", () => {
      if (location.search === this.search) return; // a link within the page
      this.run(() => this.#open(new URLSearchParams(location.search)));
    });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    if (!$("keys-on").checked || event.target.closest?.("input:not([type=checkbox],[type=radio]), textarea, select")) return;
    if (event.key === "Escape" && event.target.closest?.("#help, #help-open")) return; // the key closes the help
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const work = this.view.key?.(key, event.shiftKey);
    if (!work) return;
    event.preventDefault();
    this.run(work);
  }
}

const app = new App();
app.run(() => app.start());
