/** The page: what is shown, the address that says it, the views, the keys. */

import * as api from "./api.js";
import { createBoard } from "./board.js";
import { countsView } from "./counts.js";
import { $, fill, h, lasting, memory, notice, percent, say } from "./dom.js";
import { exploreView } from "./explore.js";
import { playView } from "./play.js";
import { reviewView } from "./review.js";
import { digitsOf, estimated } from "./solving.js";
import { chanceBar, redrawn } from "./values.js";

const NAMES = ["explore", "play", "review", "counts"];
const START = "-/-/0-0/L";
const AGAIN = 2000; // milliseconds until a program that did not answer is asked again

/** What all views share. */
class App {
  constructor() {
    this.state = { view: "explore", rules: "", pieces: 0, position: START, roll: null };
    this.catalogue = null;
    this.geometry = null; // the answer of /api/board
    this.board = null;
    this.views = {};
    this.past = []; // places before this one, for Undo
    this.future = [];
    this.search = ""; // the address that is shown
    this.good = null; // what was shown last with its values
    this.away = false; // whether the program does not answer
  }

  /** The view that is shown. */
  get view() {
    return this.views[this.state.view];
  }

  /** The position that is shown, with its game and roll. */
  get place() {
    const { rules, pieces, position, roll } = this.state;
    return { rules, pieces, position, roll };
  }

  async start() {
    this.catalogue = await api.get("catalogue");
    const { catalogue } = this;
    fill($("rules"), catalogue.rules.map((r) => h("option", { value: r.name }, r.name)));
    $("pieces").max = catalogue.most_pieces;
    // An exported file has few games.
    if (catalogue.pieces) $("pieces").replaceWith(h("select", { id: "pieces" }, catalogue.pieces.map((n) => h("option", { value: n }, n))));
    const make = { explore: exploreView, play: playView, review: reviewView, counts: countsView };
    for (const name of NAMES) this.views[name] = make[name](this);
    this.#listen();
    await this.#open(new URLSearchParams(location.search));
  }

  /** Show what an address says; what is wrong in it is said, and left out. */
  async #open(asked) {
    const { catalogue } = this;
    const first = catalogue.default;
    const { search } = location;
    const known = (name) => catalogue.rules.find((r) => r.name === name || r.aliases.includes(name));
    let wrong = "";
    let rules = known(first.rules);
    let pieces = first.pieces;
    if (asked.has("rules")) {
      const found = known(asked.get("rules"));
      if (found) {
        rules = found;
        pieces = found.name === first.rules ? first.pieces : found.pieces;
      } else wrong = `There are no rules ${asked.get("rules")} here`;
    }
    const number = (name, what) => {
      const said = asked.get(name);
      if (said !== null && !/^\d+$/.test(said)) wrong ||= `${said} is no ${what}`;
      return /^\d+$/.test(said ?? "") ? Number(said) : null;
    };
    pieces = number("pieces", "number of pieces") ?? pieces;
    const view = NAMES.includes(asked.get("view")) ? asked.get("view") : "explore";
    if (asked.has("view") && view !== asked.get("view")) wrong ||= `There is no view ${asked.get("view")}`;
    const plain = !["view", "rules", "pieces", "position", "roll"].some((name) => asked.has(name));
    let position = asked.get("position") ?? (plain ? first.position : START);
    let roll = number("roll", "roll") ?? (plain ? first.roll : null);
    try {
      await this.#load(rules.name, pieces);
    } catch (error) {
      if (error.status === api.NO_ANSWER) throw error;
      wrong ||= error.message;
      await this.#load(first.rules, first.pieces);
    }
    if (position !== START) {
      const found = await api.get("check", { rules: this.state.rules, pieces: this.state.pieces, position });
      if (!found.ok) {
        wrong ||= found.error;
        position = START;
      } else position = found.position;
    }
    if (roll !== null && !this.geometry.dice.rolls.some((r) => r.roll === roll)) {
      wrong ||= `These dice do not give ${roll}`;
      roll = null;
    }
    this.search = search;
    this.view.leave?.();
    Object.assign(this.state, { position, roll, view });
    await this.#enter();
    notice(wrong);
  }

  async #load(rules, pieces) {
    const geometry = await api.get("board", { rules, pieces });
    this.geometry = geometry;
    Object.assign(this.state, { rules: geometry.rules, pieces: geometry.pieces });
    $("rules").value = geometry.rules;
    $("pieces").value = geometry.pieces;
    const shape = { geometry, pieces: geometry.pieces, position: START, arrows: [], moves: [], last: null };
    if (this.board) this.board.update(shape);
    else {
      this.board = createBoard($("board"), {
        ...shape,
        onChange: (position, said) => this.view.changed?.(position, said),
        onMove: (move) => this.view.moved?.(move),
        onNotice: (said) => notice(said),
      });
    }
  }

  /** Say in the title and at the foot of the page which game it shows. */
  about(geometry) {
    document.title = `${this.state.view} \u00b7 ${geometry.rules} \u00b7 urcx`;
    $("about").textContent = this.#about(geometry);
  }

  #about({ effects, dice, title }) {
    const granting = effects.rosette_grants_roll; // true, false, or the tiles of those that do
    const only = Array.isArray(granting) ? ` (only ${granting.join(", ")})` : "";
    const said = [
      granting && `a rosette grants a roll${only}`,
      effects.rosette_protects && "a rosette protects",
      effects.capture_grants_roll && "a capture grants a roll",
    ].filter(Boolean);
    const rolls = dice.rolls.map((r) => `${r.roll}:\u00a0${r.chance}`).join(", ");
    return `${title}: ${said.join("; ") || "rosettes and captures have no effect"}. Rolls: ${rolls}.`;
  }

  /** Change the rules or the number of pieces; the position stays if it can, else Undo brings it back. */
  async choose(rules, pieces) {
    const { place, past } = this;
    notice("");
    const stays = this.state.view === "explore" && rules === place.rules && (await api.get("check", { rules, pieces, position: place.position })).ok;
    await this.#load(rules, pieces);
    if (!stays) Object.assign(this.state, { position: START, roll: null });
    this.past = [...past, place];
    this.future = [];
    say(`${this.state.rules} with ${this.state.pieces} pieces`);
    await this.#enter(); // Undo leads back; the browser's Back is for views
    if (this.state.view === "explore" && place.position !== this.state.position) notice("The game has changed, so this is its start. Undo shows the position before.");
  }

  /**
   * Go to a position, which can be undone.
   * @param {string} position
   * @param {number|null} [roll]
   */
  async go(position, roll = null) {
    if (position === this.state.position && roll === this.state.roll) return;
    this.past.push(this.place);
    this.future = [];
    await this.#to({ ...this.place, position, roll });
  }

  /** Go back (-1) or forth (1) among the positions that were shown. */
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

  /** Remember what is shown as what to show if the next is not answered. */
  settled() {
    this.good = { place: this.place, past: [...this.past], future: [...this.future] };
  }

  /** Go back to what was shown last, if it is of this game; return whether it is. */
  restored() {
    const { rules, pieces } = this.state;
    if (this.good?.place.rules !== rules || this.good.place.pieces !== pieces) return false;
    const { place, past, future } = this.good;
    Object.assign(this.state, place);
    Object.assign(this, { past: [...past], future: [...future] });
    this.address();
    return true;
  }

  /** Write what is shown into the address; `push` keeps the one before for the Back button. */
  address(push = false) {
    const { view, rules, pieces, position, roll } = this.state;
    const asked = new URLSearchParams();
    if (view !== "explore") asked.set("view", view);
    asked.set("rules", rules);
    asked.set("pieces", pieces);
    if (view === "explore" || view === "play") {
      if (position !== START) asked.set("position", position);
      if (roll !== null) asked.set("roll", roll);
    }
    const text = `?${asked.toString().replaceAll("%2F", "/").replaceAll("%2C", ",")}`;
    this.search = text;
    if (text === location.search) return;
    if (push) history.pushState(null, "", text);
    else history.replaceState(null, "", text);
  }

  /** Show another view. */
  async show(name) {
    if (name === this.state.view) return;
    const { rules, pieces } = this.state;
    await api.get("values", { rules, pieces }); // or this view stays
    this.view.leave?.();
    // Nobody has chosen the position that the page opened with.
    if (name === "play" && this.past.every(({ position }) => position === this.state.position) && this.state.position === this.catalogue.default.position) this.state.position = START;
    this.state.view = name;
    notice("");
    await this.#enter(true);
  }

  /** Show the review of the game that is played here. */
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
    // These two choose for themselves what they show.
    $("game").hidden = view === "counts" || view === "review";
    this.about(this.geometry);
    fill($("under"));
    this.status(null);
    this.address(push);
    this.top();
    await this.view.enter();
  }

  /** Draw the board: the view's own, and the paths that are asked for. */
  draw(options) {
    const paths = ["light", "dark"].filter((side) => $(`way-${side}`).checked);
    const { geometry } = this;
    this.board.update({ geometry, pieces: geometry.pieces, arrows: [], moves: [], last: null, ...options, paths });
  }

  /**
   * Say above the board who is to move and how likely the side wins.
   * @param {string|Array<string|Element>} who
   * @param {number|null} light light's chance
   * @param {number|null} before what it was before
   * @param {object|null} view the answer that the chance is of, which may be an estimate
   */
  headline(who, light = null, before = null, view = null) {
    const line = $("headline");
    const [near, digits] = [estimated(view), digitsOf(view)];
    fill($("bar"), chanceBar(light, digits));
    if (light === null) {
      fill(line, h("span", {}, who));
      return;
    }
    const was = before === null ? "" : `${percent(before, digits)} \u2192 `;
    fill(line, h("span", {}, who), h("span", {}, `light ${near ? "\u2248 " : ""}${was}`, h("strong", {}, percent(light, digits)), before === null ? h("span", { class: "other" }, " \u00b7 dark ", h("strong", {}, percent(1 - light, digits))) : null));
  }

  /** Show the page from its top on, board and panel. */
  top() {
    $("panel").scrollTop = 0;
    scrollTo(0, 0);
  }

  /**
   * Show one line above the board, or take it away.
   * @param {Element|null} line
   */
  status(line) {
    redrawn($("status"), () => fill($("status"), line));
  }

  /** Carry something out, and say in the page what went wrong. */
  async run(work) {
    try {
      return await work();
    } catch (error) {
      if (error.name === "AbortError") return undefined;
      if (error.status === api.NO_ANSWER) {
        notice("");
        this.#wait();
        return undefined;
      }
      notice(error.message);
      if (!(error instanceof api.ApiError)) console.error(error);
      return undefined;
    }
  }

  /** Say that the program does not answer, and go on when it does. */
  async #wait() {
    if (this.away) return;
    this.away = true;
    const port = location.port ? ` --port ${location.port}` : "";
    lasting(`urcx explore does not answer. Start it again: urcx explore${port}. This page then goes on by itself.`);
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

  /** A roll of the dice, by their chances. */
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
        $("rules").value = this.state.rules;
        $("pieces").value = this.state.pieces;
        throw error;
      }
    });
    $("rules").addEventListener("change", rules);
    $("pieces").addEventListener("change", () => change(this.state.rules, Number($("pieces").value)));
    for (const side of ["light", "dark"]) {
      $(`way-${side}`).checked = Boolean(memory.get(`way-${side}`));
      $(`way-${side}`).addEventListener("change", (event) => {
        memory.set(`way-${side}`, event.target.checked);
        this.draw(this.board.options);
      });
    }
    $("keys-on").checked = memory.get("keys") !== false;
    $("keys-on").addEventListener("change", (event) => memory.set("keys", event.target.checked));
    $("notice-close").addEventListener("click", () => { $("notice").hidden = true; });
    for (const [k, name] of NAMES.entries()) {
      const tab = $(`tab-${name}`);
      tab.addEventListener("click", () => this.run(() => this.show(name)));
      tab.addEventListener("keydown", (event) => {
        const way = { ArrowLeft: k + NAMES.length - 1, ArrowRight: k + 1, Home: 0, End: NAMES.length - 1 }[event.key];
        if (way === undefined) return;
        event.preventDefault();
        const next = NAMES[way % NAMES.length];
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
    if (!$("keys-on").checked || event.target.closest?.("input:not([type=checkbox],[type=radio]), textarea, select")) return;
    if (event.key === "Escape" && event.target.closest?.("#help, #help-open")) return; // it closes the help
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const work = this.view.key?.(key, event.shiftKey);
    if (!work) return;
    event.preventDefault();
    this.run(work);
  }
}

const app = new App();
app.run(() => app.start());
