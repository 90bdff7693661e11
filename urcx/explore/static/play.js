/** Games: you against an agent, or two agents to watch. The game travels as text; the browser keeps it. */

import * as api from "./api.js";
import { $, download, fill, h, lost, memory, notice, percent, say } from "./dom.js";
import { capital } from "./explore.js";
import { tiled } from "./notation.js";
import { opponents } from "./opponents.js";
import { digitsOf, solveAtOnce, valued } from "./solving.js";
import { arrowsOf, diceDrawn, lightsChance, movesTable, redrawn } from "./values.js";

const YOU = "you";
const START = "-/-/0-0/L";
const KEYS = /^[urhp1-9]$/;
const AGAIN = 500; // milliseconds until an agent that is being prepared is asked again
const SIDES = ["light", "dark"];

/**
 * Make the view.
 * @param {object} app
 * @returns {object}
 */
export function playView(app) {
  let game = null; // the answer of /api/game
  let players = { light: YOU, dark: "" };
  let costs = new Map(); // by ply, what /api/game said of it
  let hinted = false;
  let hint = null; // a view with what agents would play, where no chances are known
  let running = true; // whether agents go on by themselves
  let pace = memory.get("pace") ?? 0.8;
  let timer = null;
  let sliding = false; // whether the pace is being changed: a new slider would end the drag
  let said = "";
  let pending = Promise.resolve(); // what was asked for last

  const view = () => game.view;
  const turn = () => view().to_move;
  const over = () => Boolean(view().winner);
  const yours = () => !over() && players[turn()] === YOU;
  const watching = () => SIDES.every((side) => players[side] !== YOU);
  const known = () => valued(view());
  const moves = () => (game.roll === null ? [] : (view().rolls.find((r) => r.roll === game.roll)?.moves ?? []));
  const saved = () => memory.get("game");

  function keep() {
    memory.set("game", { notation: game.notation, players, undone: game.undone });
  }

  /** Ask for the game after something was done with it; what was there stays if that fails. */
  async function ask(body) {
    const plies = game?.rows.length ?? 0;
    game = await api.post("game", body);
    notice("");
    if (game.rows.length < plies) costs = new Map([...costs].filter(([ply]) => ply <= game.rows.length));
    for (const row of game.played) costs.set(row.ply, row);
    hinted = false;
    hint = null;
    keep();
    app.state.position = game.position;
    app.state.roll = game.roll;
    app.address();
    draw();
    next();
  }

  /** Do one thing after the other: what comes while an answer is waited for is done then. */
  function queued(does) {
    return () => {
      const done = pending.then(does);
      pending = done.catch(() => {});
      return done;
    };
  }

  const act = (...actions) => ask({ text: game.notation, undone: game.undone, do: actions });

  /** Let an agent play, after a while, if it is its turn. */
  function next() {
    clearTimeout(timer);
    if (app.state.view !== "play" || !game || over() || yours() || !running) return;
    timer = setTimeout(() => app.run(queued(answer)), 1000 * pace);
  }

  async function answer() {
    if (!game || over() || yours()) return;
    const side = turn();
    try {
      await act({ answer: players[side] });
    } catch (error) {
      if (error.status !== api.NO_ANSWER) running = false;
      draw();
      throw error;
    }
    tell(game.rows.length);
    draw();
  }

  /** Say what a ply was and what it cost. */
  function tell(number) {
    const row = game.rows[number - 1];
    if (!row) return;
    said = `${who(row.side)} rolled ${row.roll}: ${row.pass ? "pass" : named(row)}${cost(row)}`;
    if (over()) said += `. ${capital(view().winner)} has won.`;
    say(said);
  }

  const who = (side) => (players[side] === YOU ? `You (${side})` : `${players[side]} (${side})`);

  /** A move in words of the board. */
  function named(row) {
    const way = app.geometry[row.side];
    const at = (step) => (step === 0 ? "start" : (way[step - 1] ?? "home"));
    return `${at(row.from)} to ${at(row.to)}${row.captures ? ", captures" : ""}${row.rosette ? ", rosette" : ""}`;
  }

  function cost(row) {
    const found = costs.get(row.ply);
    if (!found || row.pass) return "";
    if (!(found.regret > 0)) return found.choices > 1 ? " \u2013 best" : "";
    const best = { side: row.side, from: found.best_from, to: found.best_to };
    return ` \u2013 costs ${lost(found.regret)}; best was ${named(best)}`;
  }

  async function begin(form) {
    const of = (name) => String(form.get(name) ?? "");
    players = { light: of("light"), dark: of("dark") };
    const { rules, pieces } = app.state;
    const seed = of("seed").trim();
    if (seed && !/^\d{1,15}$/.test(seed)) throw new api.ApiError(`seed ${seed}: a whole number of at most 15 digits is wanted`, 400);
    costs = new Map();
    running = true;
    said = "The game begins.";
    const today = new Date().toISOString().slice(0, 10);
    await ask({ new: { rules, pieces, position: of("from") || START, ...players, date: today, ...(seed ? { seed: Number(seed) } : {}) } });
    app.top();
    say(said);
  }

  async function resume() {
    const { notation, players: who, undone } = saved();
    const answer = await api.post("game", { text: notation, undone });
    if (answer.rules !== app.state.rules || answer.pieces !== app.state.pieces) await app.choose(answer.rules, answer.pieces);
    players = who;
    costs = new Map();
    running = !SIDES.every((side) => who[side] !== YOU);
    said = "Your game goes on.";
    game = answer;
    await ask({ text: notation, undone });
    if (view().values.state === "known") await judged(notation);
  }

  /** What the plies of a game that goes on have cost. */
  async function judged(text) {
    const { rows } = await api.post("review", { text });
    for (const row of rows) costs.set(row.ply, row);
    draw();
  }

  async function play(move) {
    await act(move.pass ? { pass: true } : { play: `${move.from}-${move.to}` });
    tell(game.rows.length);
    draw();
  }

  async function roll() {
    if (!yours() || game.roll !== null) return;
    await act({ throw: null });
    said = `${who(turn())} rolled ${game.roll}${moves().some((m) => m.pass) ? ": no legal move" : ""}`;
    say(said);
    draw();
  }

  /** Take back to the last decision of yours; of agents, a ply. */
  async function undo() {
    const { rows } = game ?? { rows: [] };
    let plies = watching() ? 1 : 0;
    for (let k = rows.length - 1; k >= 0 && !plies; k -= 1) {
      if (players[rows[k].side] === YOU && !rows[k].pass) plies = rows.length - k;
    }
    if (!plies || plies > rows.length) return;
    running = !watching();
    said = "Taken back; the dice stay as they were.";
    await act({ undo: plies });
    say(said);
  }

  async function redo() {
    const { undone } = game;
    if (!undone.length) return;
    running = !watching();
    said = "Played again.";
    await act({ redo: 1 });
    say(said);
  }

  async function help() {
    if (!yours() || game.roll === null) return;
    hinted = true;
    if (!known()) {
      const { rules, pieces, position, roll: thrown } = game;
      const asked = { rules, pieces, position, roll: thrown, agents: app.catalogue.default_agent };
      for (hint = await api.get("view", asked); hint.agents[0].state === "preparing"; hint = await api.get("view", asked)) {
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
      if (hint.agents[0].state === "refused") throw new api.ApiError(hint.agents[0].message, 400);
    }
    const [best] = known() ? moves() : hint.rolls[0].moves.filter((m) => Object.values(m.plays).some((share) => share !== "0"));
    if (best) said = known() ? `Best: ${best.words}, wins with ${percent(best.value, digitsOf(view()))}` : `${app.catalogue.default_agent} would play ${best.words}`;
    say(said);
    draw();
  }

  function stop() {
    clearTimeout(timer);
    game = null;
    Object.assign(app.state, { position: START, roll: null });
    app.address();
    setUp();
  }

  function drawBoard() {
    const last = game.rows.at(-1);
    const open = yours() && game.roll !== null ? moves().filter((m) => !m.pass) : [];
    app.draw({
      position: game.position,
      mode: open.length ? "move" : "view",
      moves: open,
      arrows: hinted && known() ? arrowsOf(moves(), turn(), true) : [],
      last: last && !last.pass ? { side: last.side, from: last.from, to: last.to } : null,
      label: over() ? `Board: ${view().winner} has won` : `Board: ${who(turn())} to move`,
    });
    const doing = game.roll === null ? `${who(turn())} to move` : `${who(turn())} rolled ${game.roll}`;
    app.headline(over() ? `${capital(view().winner)} has won` : doing, lightsChance(view(), game.roll), null, view());
  }

  function draw() {
    if (!game || app.state.view !== "play") return;
    drawBoard();
    if (!sliding) redrawn($("panel"), () => fill($("panel"), table(), log()));
  }

  function table() {
    const passes = moves().some((m) => m.pass);
    const button = (text, key, does, main = false, off = false) =>
      h("button", { type: "button", class: main ? "main" : null, disabled: off, "data-key": key, onclick: () => app.run(queued(does)) }, text);
    const asks = yours() && game.roll === null;
    const shown = game.roll ?? (yours() ? null : game.rows.at(-1)?.roll ?? null);
    return h("section", { class: "card", "aria-labelledby": "h-play" },
      h("h2", { id: "h-play" }, `${who("light")} against ${who("dark")}`),
      h("div", { class: "row thrown" },
        h("span", { class: "die", role: "img", "aria-label": game.roll === null ? "no roll" : `roll ${game.roll}` }, shown ?? "\u2013"),
        diceDrawn(app.geometry.dice.rolls, shown),
        h("p", { class: "say" }, said)),
      h("div", { class: "row noprint" },
        yours() ? button("Roll the dice", "roll", roll, asks, !asks) : null,
        yours() && passes ? button("Pass", "pass", () => play(moves()[0]), true) : null,
        yours() ? button("Hint", "hint", help, false, game.roll === null || passes) : null,
        watching() && !over() ? [button(running ? "Pause" : "Go on", "run", toggle, true), button("One ply", "ply", answer, false, running)] : null,
        button("Undo", "undo", undo, false, !game.rows.some((row) => watching() || (players[row.side] === YOU && !row.pass))),
        button("Redo", "redo", redo, false, !game.undone.length)),
      yours() && !passes && moves().length ? choices() : null,
      watching() && !over() ? h("label", { class: "noprint wide" }, h("span", { class: "nowrap" }, "Seconds a ply"), h("input", {
        type: "range", min: 0.1, max: 3, step: 0.1, value: pace, "data-key": "pace",
        oninput: (event) => { sliding = true; pace = Number(event.target.value); memory.set("pace", pace); },
        onchange: () => { sliding = false; draw(); },
      })) : null,
      h("div", { class: "row noprint" },
        button("Review", "review", () => app.review(), over(), !game.rows.length),
        button("Save", "save", () => download("game.txt", game.notation, "text/plain")),
        button("New game", "new", stop)));
  }

  function choices() {
    if (hinted && known()) return movesTable([{ roll: game.roll, moves: moves() }], { play: (m) => app.run(queued(() => play(m))), point() {}, digits: digitsOf(view()) });
    const others = hint?.rolls[0].moves ?? [];
    return h("ol", { class: "moves", "aria-label": "Moves" }, moves().toSorted((a, b) => a.from - b.from).map((move, k) => {
      const plays = Object.entries(others.find((m) => m.from === move.from)?.plays ?? {}).filter(([, share]) => share !== "0");
      return h("li", {}, h("button", { type: "button", "data-key": `choice-${k}`, onclick: () => app.run(queued(() => play(move))) },
        `${k + 1}. ${move.words}`, plays.map(([name]) => h("span", { class: "chip" }, `${name} plays this`))));
    }));
  }

  function log() {
    const rows = [...game.rows].reverse();
    return h("section", { class: "card", "aria-labelledby": "h-log" },
      h("h2", { id: "h-log" }, "What was played"),
      rows.length ? h("div", { class: "scroll log", tabindex: "0", role: "region", "aria-label": "Plies, the last first" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Ply"), h("th", { class: "text", scope: "col" }, "Side"), h("th", { scope: "col" }, "Roll"), h("th", { class: "text", scope: "col" }, "Move"), h("th", { scope: "col" }, "Cost"))),
        h("tbody", {}, rows.map((row) => {
          const found = costs.get(row.ply);
          return h("tr", {}, h("td", {}, row.ply), h("td", { class: "text" }, row.side), h("td", {}, row.roll),
            h("td", { class: "text" }, row.pass ? "pass" : named(row)),
            h("td", { class: "nowrap" }, !found || row.pass ? "" : found.regret > 0 ? h("span", { class: "bad" }, lost(found.regret)) : "0"));
        })))) : h("p", { class: "soft" }, "Nothing yet."));
  }

  function toggle() {
    running = !running;
    draw();
    next();
  }

  function agentOptions(chosen) {
    const solved = app.known?.state === "known";
    return [h("option", { value: YOU, selected: chosen === YOU }, "you"),
      ...opponents(app).map(({ name, text, needs }) => h("option", { value: name, selected: chosen === name, disabled: needs && !solved }, text))];
  }

  /** The form for a new game, with the one that was kept. */
  function setUp() {
    const { position, pieces } = app.state;
    const won = position.split("/")[2].split("-").includes(String(pieces));
    const kept = saved();
    app.draw({ position, mode: "view", label: "Board" });
    app.headline("A new game");
    const known = app.known?.state === "known";
    const able = (text) => known || !opponents(app).find(({ name }) => name === text)?.needs;
    const against = players.dark && players.dark !== YOU && able(players.dark) ? players.dark : known ? "optimal" : app.catalogue.default_agent;
    const light = able(players.light) ? players.light : app.catalogue.default_agent;
    redrawn($("panel"), () => fill($("panel"), h("section", { class: "card", "aria-labelledby": "h-new" },
      h("h2", { id: "h-new" }, "A new game"),
      h("form", { onsubmit: (event) => {
        event.preventDefault();
        const form = new FormData(event.target);
        app.run(queued(() => begin(form)));
      } },
      h("div", { class: "form" },
        h("label", { class: "whole" }, "Light", h("select", { name: "light", "data-key": "light" }, agentOptions(light))),
        h("label", { class: "whole" }, "Dark", h("select", { name: "dark", "data-key": "dark" }, agentOptions(against))),
        h("label", {}, "From", h("select", { name: "from" },
          position === START || won ? null : h("option", { value: position }, `the position ${tiled(position, app.geometry)}`),
          h("option", { value: START }, "the start"))),
        h("label", {}, "Seed of the dice", h("input", { type: "text", name: "seed", "data-key": "seed", inputmode: "numeric", placeholder: "drawn by chance", autocomplete: "off" }))),
      h("p", { class: "soft small" }, "Two agents play for you to watch. Perfect play needs the solved game."),
      h("div", { class: "row" },
        h("button", { class: "main", type: "submit", "data-key": "begin" }, "Begin"),
        kept ? h("button", { type: "button", "data-key": "resume", onclick: () => app.run(queued(resume)) }, "Go on with the last game") : null)))));
  }

  async function enter() {
    const kept = saved();
    const { rules, pieces, position } = app.state;
    clearTimeout(timer);
    const about = { rules, pieces, values: await api.get("values", { rules, pieces }) };
    await solveAtOnce(about);
    app.known = about.values;
    if (kept && !game) {
      // After a reload the game that was kept goes on, if it is the one in the address.
      try {
        const found = await api.post("game", { text: kept.notation, undone: kept.undone });
        if (found.rules === rules && found.pieces === pieces && found.position === position && found.rows.length && !found.view.winner) {
          await resume();
          return;
        }
      } catch (error) {
        if (!(error instanceof api.ApiError)) throw error;
        notice(`The game that was kept cannot be read: ${error.message}`);
      }
    }
    if (game && game.rules === rules && game.pieces === pieces && game.position === position) {
      draw();
      next();
      return;
    }
    game = null;
    app.state.roll = null;
    app.address();
    setUp();
    // Who needs the chances of winning can be chosen once they are known.
    if (app.known.state === "solving") timer = setTimeout(() => app.run(enter), AGAIN);
  }

  function key(pressed, shift) {
    if (!game) return null;
    if (pressed === "u") return shift ? redo : undo;
    if (pressed === "r" && watching()) return running ? null : answer;
    if (pressed === "r") return roll;
    if (pressed === "h") return help;
    if (!yours() || game.roll === null) return null;
    const passes = moves().some((m) => m.pass);
    if (pressed === "p" && passes) return () => play(moves()[0]);
    if (passes || !/^[1-9]$/.test(pressed)) return null;
    const shown = hinted && known() ? moves() : moves().toSorted((a, b) => a.from - b.from);
    const move = shown[Number(pressed) - 1];
    return move ? () => play(move) : null;
  }

  return {
    enter,
    leave: () => clearTimeout(timer),
    refresh: enter,
    moved: (move) => app.run(queued(() => play(move))),
    key: (pressed, shift) => (game && KEYS.test(pressed) ? queued(() => key(pressed, shift)?.()) : null),
  };
}
