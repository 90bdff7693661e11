/** The view of a position: the board, on which it is set up, and its values. */

import * as api from "./api.js";
import { $, copy, download, fill, grouped, h, memory, notice, percent, say, signed } from "./dom.js";
import { ApiError } from "./errors.js";
import { comparison, exampleList } from "./examples.js";
import { moveTyped, tiled } from "./notation.js";
import { bestReplies } from "./openings.js";
import { digitsOf, estimated, solveAtOnce, unsolved, valued } from "./solving.js";
import { luckStrip } from "./strip.js";
import { agentsPlay, arrowsOf, conventionName, diceDrawn, formsTable, lightsChance, movesTable, redrawn, source } from "./values.js";

const START = "-/-/0-0/L";
const KEYS = /^([urp0-9]|Escape)$/;
const WRONG = 400; // the status of an answer to an impossible position
const AGAIN = 700; // milliseconds until the next request, while an agent or a solution is not ready

/**
 * Make the view.
 * @param {object} app
 * @returns {object}
 */
export function exploreView(app) {
  let view = null; // the answer of /api/view, null for an impossible position
  let viewed = ""; // its rules, pieces and position
  let request = null;
  let timer = null;
  // The agents that were last chosen, if this server has them.
  const available = app.catalogue.agents.map((agent) => agent.name);
  let agents = [memory.get("agents") ?? "greedy"].flat().filter((name) => available.includes(name));

  const rollOf = (roll) => view?.rolls.find((r) => r.roll === roll);
  const rated = () => valued(view);

  let ready = Promise.resolve(); // fulfilled after the last request for values

  function refresh() {
    const loading = load();
    ready = loading.catch(() => {});
    return loading;
  }

  /** Carry out a key or a typed move, once the values of the position on the board are there. */
  async function settled(work) {
    for (let last = null; last !== ready;) {
      last = ready;
      await last;
    }
    await work()?.();
  }

  async function load() {
    clearTimeout(timer);
    request?.abort();
    const own = new AbortController();
    request = own;
    const { rules, pieces, position, roll } = app.state;
    const place = `${rules} ${pieces} ${position}`;
    if (place === viewed) drawBoard(); // the same position with another roll, whose moves are there
    else app.draw({ position, mode: roll === null ? "setup" : "move", label: "Board: set up a position" });
    drawTools();
    try {
      view = await api.get("view", { rules, pieces, position, agents: agents.join(",") }, own.signal);
      viewed = place;
      await solveAtOnce(view);
      if (own.signal.aborted) return;
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status !== WRONG && view && app.restored()) {
        drawBoard();
        drawTools();
        throw error;
      }
      view = null;
      viewed = "";
      draw(error);
      throw error;
    }
    app.settled();
    draw();
    const waiting = view.agents.some((a) => a.state === "preparing") || view.values.state === "solving";
    if (waiting) timer = setTimeout(() => app.run(refresh), AGAIN);
  }

  function drawBoard() {
    const { position, roll } = app.state;
    const moves = roll === null ? [] : (rollOf(roll)?.moves ?? []);
    app.draw({
      position,
      mode: roll === null || !view ? "setup" : "move",
      moves: moves.filter((m) => !m.pass),
      arrows: view ? arrowsOf(moves, view.to_move, rated()) : [],
      label: roll === null ? "Board: set up a position" : `Board: ${view?.to_move} moves with a ${roll}`,
    });
  }

  /** Draw the arrow of the best move of another roll while the pointer or the focus is on its column. */
  function pointRoll(other) {
    if (!view || other === null || other === app.state.roll) drawBoard();
    else if (rated()) app.draw({ ...app.board.options, arrows: arrowsOf(rollOf(other).moves, view.to_move, true).filter((a) => a.best).slice(0, 1) });
  }

  /** Draw only one arrow while the pointer or the focus is on its move in the table. */
  function point(move) {
    if (!view || app.state.roll === null) return;
    const all = arrowsOf(rollOf(app.state.roll)?.moves ?? [], view.to_move, rated());
    app.draw({ ...app.board.options, arrows: move ? all.filter((a) => a.from === move.from) : all });
  }

  function draw(error = null) {
    drawBoard();
    if (!view) {
      const wrong = error?.status === WRONG;
      app.status(null);
      app.headline(wrong ? "Impossible position" : "No values");
      fill($("panel"), h("section", { class: "card" }, h("h2", {}, wrong ? "Not a position of these rules" : "No answer"),
        h("p", {}, `The message at the bottom of the page has the reason.${wrong ? " Move pieces, or undo." : ""}`)));
      return;
    }
    const { roll } = app.state;
    const mover = capital(view.to_move);
    app.status(view.values.state === "known" ? null : unsolved(app, view, refresh));
    app.headline(view.winner ? `${capital(view.winner)} has won` : roll === null ? `${mover} to move` : `${mover} rolled ${roll}`, lightsChance(view, roll), null, view);
    redrawn($("panel"), () => fill($("panel"), values(), place()));
  }

  function values() {
    const { roll } = app.state;
    const { rolls: dice } = app.geometry.dice;
    const moves = rollOf(roll)?.moves ?? [];
    const passes = moves.some((m) => m.pass);
    return h("section", { class: "card", "aria-labelledby": "h-values" },
      h("h2", { class: "unseen", id: "h-values" }, rated() ? "Win probabilities" : "Rolls and moves"),
      view.winner ? h("p", {}, `${capital(view.winner)} has all pieces home.`) : [
        h("div", { class: roll === null ? "cast" : "cast rolled" }, luckStrip({
          before: rated() ? view.value : null, rolls: view.rolls, side: view.to_move, roll, digits: digitsOf(view), near: estimated(view),
          onPick: (next) => choose(next === roll ? null : next), onPoint: pointRoll,
        }), h("div", { class: "row noprint" },
          h("button", { class: passes ? null : "main", type: "button", "data-key": "throw", onclick: () => choose(app.throwDice()) }, "Roll the dice"),
          passes ? h("button", { class: "main", type: "button", "data-key": "pass", onclick: () => play(moves[0]) }, "Pass") : null,
          diceDrawn(dice, roll),
          h("p", { class: roll === null ? "soft small approx" : "soft small" }, legend()))),
        roll === null ? null : h("p", { class: "printonly" }, `Roll ${roll}`),
        movesTable(roll === null ? view.rolls : [rollOf(roll)].filter(Boolean), { play, point, rated: rated(), digits: digitsOf(view) }),
        chooser(moves),
        comparison(app, view),
        h("p", { class: "soft small" }, view.values.state === "known" ? source(view) : estimated(view) ? `\u2248: ${view.values.estimates}.` : null),
        roll === null && view.values.state === "known" ? h("details", { class: "noprint" }, h("summary", { "data-key": "replies" }, "Best replies, roll by roll"), bestReplies(app, view)) : null,
      ]);
  }

  /** Explain the strip, and after a roll write its luck. */
  function legend() {
    const { roll } = app.state;
    if (!rated()) return "Width: probability of the roll";
    if (roll === null) return `Width: probability \u00b7 height: ${view.to_move}\u2019s win probability`;
    return ["Luck: ", h("strong", {}, `${estimated(view) ? "\u2248\u00a0" : ""}${signed(rollOf(roll).value - view.value, digitsOf(view))}`), h("span", { class: "approx" }, " points")];
  }

  /** Return the line of the moves that agents would play, with the menu of agents. */
  function chooser(moves) {
    const lines = view.agents.filter((a) => a.state !== "ready")
      .map((a) => (a.state === "preparing" ? `${a.name} is getting ready` : `${a.name}: ${a.message}`));
    return h("details", { class: "noprint small", open: memory.get("choosing"), ontoggle: (event) => memory.set("choosing", event.target.open) },
      h("summary", { "data-key": "agents" }, h("span", { class: "players" }, agentsPlay(moves) || (agents.length ? "Agents" : "Compare with agents"))),
      h("div", { class: "agents", role: "group", "aria-label": "Agents" },
        app.catalogue.agents.map(({ name, title }) => h("label", { title },
          h("input", { type: "checkbox", checked: agents.includes(name), "data-key": `agent-${name}`, onchange: (event) => toggle(name, event.target.checked) }), name))),
      lines.map((line) => h("p", { class: "soft small" }, line)));
  }

  function place() {
    const { states, counts } = app.geometry;
    const { rules, pieces } = app.state;
    const bounded = typeof view.lower === "number";
    const facts = [
      ["Game", `${rules}, ${pieces} ${pieces === 1 ? "piece" : "pieces"} per player`],
      ["In steps", h("code", {}, view.position)],
      ...(bounded ? [["The player to move wins", percent(view.value)], ["Proven between", h("span", {}, `${outwards(view.lower, Math.floor)} and ${outwards(view.upper, Math.ceil)}`)]] : []),
    ];
    const ranks = Object.entries(view.ranks).map(([name, r]) => [`Rank among ${conventionName(name)}, from 0`, `${grouped(r.rank)} of ${grouped(r.size)}`]);
    const listed = (rows) => h("dl", { class: "facts" }, rows.map(([term, value]) => [h("dt", {}, term), h("dd", {}, value)]));
    return h("section", { class: "card", "aria-labelledby": "h-place" },
      h("h2", { id: "h-place" }, "This position"),
      h("div", { class: "row noprint" },
        h("button", { type: "button", "data-key": "copy", onclick: () => app.run(() => copy("copy", location.href, "address", `Copy the address: ${location.href}`)) }, "Copy link"),
        h("button", { type: "button", "data-key": "svg", onclick: () => app.run(save) }, "Save as SVG"),
        view.winner ? null : h("button", { type: "button", "data-key": "play-from", onclick: () => app.run(() => app.show("play")) }, "Play from here")),
      h("details", { open: memory.get("forms"), ontoggle: (event) => memory.set("forms", event.target.open) },
        h("summary", { "data-key": "forms" }, bounded ? "Proven bounds, rank, and number of states" : "Rank, and number of states"),
        listed([...facts, ...ranks, ...Object.entries(states).map(([name, n]) => [conventionName(name), grouped(n)])]),
        formsTable(counts)));
  }

  function drawTools() {
    const { position } = app.state;
    const turn = position.endsWith("/L") ? "light" : "dark";
    const side = (name) => h("button", {
      type: "button", "aria-pressed": String(turn === name), "data-key": `turn-${name}`,
      onclick: () => app.run(() => app.go(position.replace(/[LD]$/, name === "light" ? "L" : "D"))),
    }, `${capital(name)} moves`);
    redrawn($("tools"), () => fill($("tools"),
      h("p", { class: "soft small noprint" }, app.state.roll === null
        ? "Drag or click pieces to set up a position, or type one. Choose a roll to play."
        : "Click a piece or a move to play it, or type it. Choose the roll again to take it back, and set up a position."),
      h("button", { type: "button", disabled: !app.past.length, "data-key": "undo", onclick: () => app.run(() => app.step(-1)) }, "Undo"),
      h("button", { type: "button", disabled: !app.future.length, "data-key": "redo", onclick: () => app.run(() => app.step(1)) }, "Redo"),
      h("span", { class: "choice", role: "group", "aria-label": "Player to move" }, side("light"), side("dark")),
      h("button", { type: "button", "data-key": "start", onclick: () => app.run(() => app.go(START)) }, "Start"),
      h("form", { class: "field", onsubmit: (event) => {
        event.preventDefault();
        app.run(() => paste(new FormData(event.target).get("notation")));
      } },
      h("input", { type: "text", name: "notation", "aria-label": "Position, or a move such as A4 to B1", value: tiled(position, app.geometry), spellcheck: "false", autocomplete: "off", "data-key": "notation" }),
      h("button", { type: "submit", "data-key": "set" }, "Go")),
    exampleList(app)));
  }

  async function paste(text) {
    const { rules, pieces } = app.state;
    if (text.trim() && !text.includes("/")) {
      await settled(() => () => {
        const { roll } = app.state;
        return play(moveTyped(text, roll === null ? (view?.rolls ?? []) : [rollOf(roll)].filter(Boolean)));
      });
      return;
    }
    if (!text.trim()) throw new ApiError("Type a position, such as A4,B4/C1/0-0/L, or a move, such as A4 to B1", 400);
    const check = await api.get("check", { rules, pieces, position: text.trim() });
    if (!check.ok) throw new ApiError(check.error, 400);
    notice("");
    await app.go(check.position);
    say(`position ${tiled(check.position, app.geometry)}`);
  }

  async function save() {
    const { rules, pieces, position } = app.state;
    const ways = ["light", "dark"].filter((s) => $(`way-${s}`).checked).join(",");
    download(`${rules}.svg`, await api.text(api.drawing({ rules, pieces, position, ways })), "image/svg+xml");
  }

  function toggle(name, checked) {
    if (checked && agents.length === app.catalogue.most_agents) {
      notice(`At most ${app.catalogue.most_agents} agents at the same time: remove one first`);
      draw();
      return;
    }
    notice("");
    agents = checked ? [...agents, name] : agents.filter((a) => a !== name);
    memory.set("agents", agents);
    app.run(refresh);
  }

  async function roll(next) {
    await app.go(app.state.position, next);
    if (next === null) say("No roll");
    else say(`Roll ${next}: ${rollOf(next)?.moves.length ?? 0} moves`);
  }

  const choose = (next) => app.run(() => roll(next));

  function play(move) {
    say(`${view.to_move} plays ${move.words}`);
    return app.run(() => app.go(move.position));
  }

  function key(pressed, shift) {
    if (pressed === "u") return () => app.step(shift ? 1 : -1);
    if (pressed === "Escape" && app.state.roll !== null) return () => roll(null);
    if (!view || view.winner) return null;
    if (pressed === "r") return () => roll(app.throwDice());
    const moves = rollOf(app.state.roll)?.moves ?? [];
    if (pressed === "p" && moves.some((m) => m.pass)) return () => play(moves[0]);
    if (!/^\d$/.test(pressed)) return null;
    if (app.state.roll === null) return rollOf(Number(pressed)) ? () => roll(Number(pressed)) : null;
    const move = moves[Number(pressed) - 1];
    return move ? () => play(move) : null;
  }

  return {
    enter: refresh,
    leave() {
      clearTimeout(timer);
      request?.abort();
    },
    refresh,
    changed(position, action) {
      say(action);
      app.run(() => app.go(position));
    },
    moved: play,
    key: (pressed, shift) => (KEYS.test(pressed) ? () => settled(() => key(pressed, shift)) : null),
  };
}

/** Write a bound with thirteen digits, rounded outwards. */
const outwards = (bound, round) => (round(bound * 1e13) / 1e13).toFixed(13);

/**
 * Return a word with a capital letter.
 * @param {string} word
 * @returns {string}
 */
export const capital = (word) => word[0].toUpperCase() + word.slice(1);
