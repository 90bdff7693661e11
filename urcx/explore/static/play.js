/** Games: you against an agent, or two agents to watch. The game travels as text, and the browser saves it. */

import * as api from "./api.js";
import { $, download, fill, h, loss, memory, notice, percent, say } from "./dom.js";
import { capital } from "./explore.js";
import { tiled } from "./notation.js";
import { opponents } from "./opponents.js";
import { digitsOf, solveAtOnce, valued } from "./solving.js";
import { arrowsOf, diceDrawn, lightsChance, movesTable, redrawn } from "./values.js";

const YOU = "you";
const START = "-/-/0-0/L";
const KEYS = /^[urhp1-9]$/;
const AGAIN = 500; // milliseconds until the next request, while an agent is being prepared
const SIDES = ["light", "dark"];

/**
 * Make the view.
 * @param {object} app
 * @returns {object}
 */
export function playView(app) {
  let game = null; // the answer of /api/game
  let players = { light: YOU, dark: "" };
  let values = null; // the state of the game's win probabilities, for the form of a new game
  let losses = new Map(); // rows of /api/game with their losses, by ply
  let hinted = false;
  let hint = null; // a view with the moves of agents, if there are no win probabilities
  let running = true; // whether agents play by themselves
  let pace = memory.get("pace") ?? 0.8;
  let timer = null;
  let sliding = false; // whether the slider of the pace is being dragged: a new slider would end the drag
  let line = ""; // the last action, in words
  let pending = Promise.resolve(); // fulfilled after the last request

  const view = () => game.view;
  const turn = () => view().to_move;
  const over = () => Boolean(view().winner);
  const yours = () => !over() && players[turn()] === YOU;
  const watching = () => SIDES.every((side) => players[side] !== YOU);
  const rated = () => valued(view());
  const moves = () => (game.roll === null ? [] : (view().rolls.find((r) => r.roll === game.roll)?.moves ?? []));
  const saved = () => memory.get("game");

  function save() {
    memory.set("game", { notation: game.notation, players, undone: game.undone });
  }

  /** Request the game after some actions, and show it. If the request fails, the last game stays. */
  async function ask(body) {
    const plies = game?.rows.length ?? 0;
    game = await api.post("game", body);
    notice("");
    if (game.rows.length < plies) losses = new Map([...losses].filter(([ply]) => ply <= game.rows.length));
    for (const row of game.played) losses.set(row.ply, row);
    hinted = false;
    hint = null;
    save();
    app.state.position = game.position;
    app.state.roll = game.roll;
    app.address();
    draw();
    next();
  }

  /** Return a function that carries out an action after all earlier actions. */
  function queued(action) {
    return () => {
      const result = pending.then(action);
      pending = result.catch(() => {});
      return result;
    };
  }

  const act = (...actions) => ask({ text: game.notation, undone: game.undone, do: actions });

  /** Let an agent play after a pause, if it is its turn. */
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

  /** Show a ply and its loss in words. */
  function tell(number) {
    const row = game.rows[number - 1];
    if (!row) return;
    line = `${player(row.side)} rolled ${row.roll}: ${row.pass ? "pass" : moveWords(row)}${lossWords(row)}`;
    if (over()) line += `. ${capital(view().winner)} has won.`;
    say(line);
  }

  const player = (side) => (players[side] === YOU ? `You (${side})` : `${players[side]} (${side})`);

  /** Return a move in words, with the names of its tiles. */
  function moveWords(row) {
    const way = app.geometry[row.side];
    const at = (step) => (step === 0 ? "start" : (way[step - 1] ?? "home"));
    return `${at(row.from)} to ${at(row.to)}${row.captures ? ", captures" : ""}${row.rosette ? ", rosette" : ""}`;
  }

  function lossWords({ ply, pass, side }) {
    const rating = losses.get(ply);
    if (!rating || pass) return "";
    if (!(rating.regret > 0)) return rating.choices > 1 ? " \u2013 best" : "";
    const best = { side, from: rating.best_from, to: rating.best_to };
    return ` \u2013 loses ${loss(rating.regret)} points; best was ${moveWords(best)}`;
  }

  async function begin(form) {
    const of = (name) => String(form.get(name) ?? "");
    players = { light: of("light"), dark: of("dark") };
    const { rules, pieces } = app.state;
    const seed = of("seed").trim();
    if (seed && !/^\d{1,15}$/.test(seed)) throw new api.ApiError(`seed ${seed}: must be an integer of at most 15 digits`, 400);
    losses = new Map();
    running = true;
    line = "The game begins.";
    const today = new Date().toISOString().slice(0, 10);
    await ask({ new: { rules, pieces, position: of("from") || START, ...players, date: today, ...(seed ? { seed: Number(seed) } : {}) } });
    app.top();
    say(line);
  }

  async function resume() {
    const { notation, players: names, undone } = saved();
    const answer = await api.post("game", { text: notation, undone });
    if (answer.rules !== app.state.rules || answer.pieces !== app.state.pieces) await app.choose(answer.rules, answer.pieces);
    players = names;
    losses = new Map();
    running = !watching();
    line = "Your game goes on.";
    game = answer;
    await ask({ text: notation, undone });
    if (view().values.state === "known") await loadLosses(notation);
  }

  /** Load the losses of all plies of a resumed game. */
  async function loadLosses(text) {
    const { rows } = await api.post("review", { text });
    for (const row of rows) losses.set(row.ply, row);
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
    line = `${player(turn())} rolled ${game.roll}${moves().some((m) => m.pass) ? ": no legal move" : ""}`;
    say(line);
    draw();
  }

  /** Go back to your last move. If only agents play, go back one ply. */
  async function undo() {
    const { rows } = game ?? { rows: [] };
    let plies = watching() ? 1 : 0;
    for (let k = rows.length - 1; k >= 0 && !plies; k -= 1) {
      if (players[rows[k].side] === YOU && !rows[k].pass) plies = rows.length - k;
    }
    if (!plies || plies > rows.length) return;
    running = !watching();
    line = "Taken back. The dice stay as they were.";
    await act({ undo: plies });
    say(line);
  }

  async function redo() {
    const { undone } = game;
    if (!undone.length) return;
    running = !watching();
    line = "Played again.";
    await act({ redo: 1 });
    say(line);
  }

  async function help() {
    if (!yours() || game.roll === null) return;
    hinted = true;
    if (!rated()) {
      const { rules, pieces, position } = game;
      const request = { rules, pieces, position, roll: game.roll, agents: app.catalogue.default_agent };
      for (hint = await api.get("view", request); hint.agents[0].state === "preparing"; hint = await api.get("view", request)) {
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
      if (hint.agents[0].state === "refused") throw new api.ApiError(hint.agents[0].message, 400);
    }
    const [best] = rated() ? moves() : hint.rolls[0].moves.filter((m) => Object.values(m.plays).some((share) => share !== "0"));
    if (best) line = rated() ? `Best: ${best.words} (win probability ${percent(best.value, digitsOf(view()))})` : `${app.catalogue.default_agent} would play ${best.words}`;
    say(line);
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
      arrows: hinted && rated() ? arrowsOf(moves(), turn(), true) : [],
      last: last && !last.pass ? { side: last.side, from: last.from, to: last.to } : null,
      label: over() ? `Board: ${view().winner} has won` : `Board: ${player(turn())} to move`,
    });
    const state = game.roll === null ? `${player(turn())} to move` : `${player(turn())} rolled ${game.roll}`;
    app.headline(over() ? `${capital(view().winner)} has won` : state, lightsChance(view(), game.roll), null, view());
  }

  function draw() {
    if (!game || app.state.view !== "play") return;
    drawBoard();
    if (!sliding) redrawn($("panel"), () => fill($("panel"), table(), log()));
  }

  function table() {
    const passes = moves().some((m) => m.pass);
    const button = (text, key, action, main = false, off = false) =>
      h("button", { type: "button", class: main ? "main" : null, disabled: off, "data-key": key, onclick: () => app.run(queued(action)) }, text);
    const mustRoll = yours() && game.roll === null;
    const dice = game.roll ?? (yours() ? null : game.rows.at(-1)?.roll ?? null);
    return h("section", { class: "card", "aria-labelledby": "h-play" },
      h("h2", { id: "h-play" }, `${player("light")} against ${player("dark")}`),
      h("div", { class: "row thrown" },
        h("span", { class: "die", role: "img", "aria-label": game.roll === null ? "no roll" : `roll ${game.roll}` }, dice ?? "\u2013"),
        diceDrawn(app.geometry.dice.rolls, dice),
        h("p", { class: "say" }, line)),
      h("div", { class: "row noprint" },
        yours() ? button("Roll the dice", "roll", roll, mustRoll, !mustRoll) : null,
        yours() && passes ? button("Pass", "pass", () => play(moves()[0]), true) : null,
        yours() ? button("Hint", "hint", help, false, game.roll === null || passes) : null,
        watching() && !over() ? [button(running ? "Pause" : "Go on", "run", toggle, true), button("One ply", "ply", answer, false, running)] : null,
        button("Undo", "undo", undo, false, !game.rows.some((row) => watching() || (players[row.side] === YOU && !row.pass))),
        button("Redo", "redo", redo, false, !game.undone.length)),
      yours() && !passes && moves().length ? choices() : null,
      watching() && !over() ? h("label", { class: "noprint wide" }, h("span", { class: "nowrap" }, "Seconds per ply"), h("input", {
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
    if (hinted && rated()) return movesTable([{ roll: game.roll, moves: moves() }], { play: (m) => app.run(queued(() => play(m))), point() {}, digits: digitsOf(view()) });
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
      h("h2", { id: "h-log" }, "Plies of this game"),
      rows.length ? h("div", { class: "scroll log", tabindex: "0", role: "region", "aria-label": "Plies, the last first" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Ply"), h("th", { class: "text", scope: "col" }, "Side"), h("th", { scope: "col" }, "Roll"), h("th", { class: "text", scope: "col" }, "Move"), h("th", { scope: "col" }, "Loss (points)"))),
        h("tbody", {}, rows.map((row) => {
          const rating = losses.get(row.ply);
          return h("tr", {}, h("td", {}, row.ply), h("td", { class: "text" }, row.side), h("td", {}, row.roll),
            h("td", { class: "text" }, row.pass ? "pass" : moveWords(row)),
            h("td", { class: "nowrap" }, !rating || row.pass ? "" : rating.regret > 0 ? h("span", { class: "bad" }, loss(rating.regret)) : "0"));
        })))) : h("p", { class: "soft" }, "No plies yet."));
  }

  function toggle() {
    running = !running;
    draw();
    next();
  }

  function agentOptions(chosen) {
    const solved = values?.state === "known";
    return [h("option", { value: YOU, selected: chosen === YOU }, "you"),
      ...opponents(app).map(({ name, text, needs }) => h("option", { value: name, selected: chosen === name, disabled: needs && !solved }, text))];
  }

  /** Show the form for a new game, with a button for the saved game. */
  function setUp() {
    const { position, pieces } = app.state;
    const won = position.split("/")[2].split("-").includes(String(pieces));
    app.draw({ position, mode: "view", label: "Board" });
    app.headline("A new game");
    const solved = values?.state === "known";
    const able = (text) => solved || !opponents(app).find(({ name }) => name === text)?.needs;
    const against = players.dark && players.dark !== YOU && able(players.dark) ? players.dark : solved ? "optimal" : app.catalogue.default_agent;
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
        h("label", {}, "Seed of the dice", h("input", { type: "text", name: "seed", "data-key": "seed", inputmode: "numeric", placeholder: "random", autocomplete: "off" }))),
      h("p", { class: "soft small" }, "Choose two agents to watch them play. Optimal play needs the solved game."),
      h("div", { class: "row" },
        h("button", { class: "main", type: "submit", "data-key": "begin" }, "Begin"),
        saved() ? h("button", { type: "button", "data-key": "resume", onclick: () => app.run(queued(resume)) }, "Resume the last game") : null)))));
  }

  async function enter() {
    const last = saved();
    const { rules, pieces, position } = app.state;
    clearTimeout(timer);
    const about = { rules, pieces, values: await api.get("values", { rules, pieces }) };
    await solveAtOnce(about);
    values = about.values;
    if (last && !game) {
      // After a reload, the saved game goes on if it has the position in the address.
      try {
        const answer = await api.post("game", { text: last.notation, undone: last.undone });
        if (answer.rules === rules && answer.pieces === pieces && answer.position === position && answer.rows.length && !answer.view.winner) {
          await resume();
          return;
        }
      } catch (error) {
        if (!(error instanceof api.ApiError)) throw error;
        notice(`The saved game cannot be read: ${error.message}`);
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
    // When the game is solved, the form offers the agents that need its solution.
    if (values.state === "solving") timer = setTimeout(() => app.run(enter), AGAIN);
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
    const list = hinted && rated() ? moves() : moves().toSorted((a, b) => a.from - b.from);
    const move = list[Number(pressed) - 1];
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
