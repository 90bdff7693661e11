/** Games: you against an agent, or two agents to watch. The game travels as text, and the browser saves it. */

import * as api from "./api.js";
import { coachSentence } from "./coach.js";
import { $, download, fill, h, loss, memory, notice, percent, say } from "./dom.js";
import { ApiError, NO_ANSWER } from "./errors.js";
import { capital } from "./explore.js";
import { tiled } from "./notation.js";
import { levels, opponents } from "./opponents.js";
import { digitsOf, solveAtOnce, valued } from "./solving.js";
import { arrowsOf, diceMarks, lightsChance, redrawn } from "./values.js";

const YOU = "you";
const START = "-/-/0-0/L";
const KEYS = /^[urhp1-9]$/;
const AGAIN = 500; // milliseconds until the next request, while an agent is being prepared
const READING = 2; // a forced pass takes so many times the pace, so that the roll can be read
const SIDES = ["light", "dark"];

/**
 * Make the view.
 * @param {object} app
 * @returns {object}
 */
export function playView(app) {
  let game = null; // the answer of /api/game
  let players = memory.get("game")?.players ?? { light: YOU, dark: "" };
  let values = null; // the state of the game's win probabilities, for the form of a new game
  let hinted = false;
  let hint = null; // a view with the moves of agents, if there are no win probabilities
  let running = true; // whether agents play by themselves
  let pace = memory.get("pace") ?? 0.8;
  let timer = null;
  let line = ""; // the last action, in words
  let coach = ""; // the first sentence of the review, after the game
  let parts = null; // the elements of the panel, which stay the same for the whole game
  let pending = Promise.resolve(); // fulfilled after the last request

  const view = () => game.view;
  const turn = () => view().to_move;
  const over = () => Boolean(view().winner);
  const yours = () => !over() && players[turn()] === YOU;
  const watching = () => SIDES.every((side) => players[side] !== YOU);
  const rated = () => valued(view());
  const shown = () => rated() && memory.get("chances") === true; // whether the page shows win probabilities
  const moves = () => (game.roll === null ? [] : (view().rolls.find((r) => r.roll === game.roll)?.moves ?? []));
  const choices = () => (yours() ? moves().filter((move) => !move.pass).toSorted((a, b) => a.from - b.from) : []);
  const passes = () => yours() && moves().some((move) => move.pass);
  const saved = () => memory.get("game");

  function save() {
    memory.set("game", { notation: game.notation, players, undone: game.undone });
  }

  /** Request the game after some actions, and show it. If the request fails, the last game stays. */
  async function ask(body) {
    const { view: where, rules, pieces } = app.state;
    const answer = await api.post("game", body);
    const now = app.state;
    // You have gone to another view or game, so the answer is dropped, and this game stays as it was.
    if (now.view !== where || now.rules !== rules || now.pieces !== pieces) throw new DOMException("left", "AbortError");
    game = answer;
    notice("");
    hinted = false;
    hint = null;
    coach = "";
    save();
    app.state.position = game.position;
    app.state.roll = game.roll;
    app.address();
    draw();
    next();
    if (over()) app.run(judge);
  }

  /** Show the first sentence of the review, if the game can be reviewed. */
  async function judge() {
    const { notation } = game;
    try {
      const review = await api.post("review", { text: notation });
      if (game?.notation !== notation) return;
      coach = coachSentence(review, players);
      draw();
      if (app.state.view === "play") say(`${result()}. ${coach}`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
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

  /** After a pause, let an agent play, or pass for you if you have no legal move. */
  function next() {
    clearTimeout(timer);
    if (app.state.view !== "play" || !game || over()) return;
    if (passes()) timer = setTimeout(() => app.run(queued(pass)), 1000 * pace * READING);
    else if (!yours() && running) timer = setTimeout(() => app.run(queued(answer)), 1000 * pace);
  }

  async function answer() {
    if (!game || over() || yours()) return;
    const side = turn();
    try {
      await act({ answer: players[side] });
    } catch (error) {
      if (error instanceof ApiError && error.status !== NO_ANSWER) running = false;
      draw();
      throw error;
    }
    tell();
  }

  /** Show the last ply in words, with its loss if the page shows win probabilities. */
  function tell() {
    const row = game.rows.at(-1);
    line = `${player(row.side)} rolled ${row.roll}: ${row.pass ? "pass" : moveWords(row)}${shown() ? lossWords(game.played.at(-1)) : ""}`;
    say(over() ? `${line}. ${result()}.` : line);
    draw();
  }

  const player = (side) => (players[side] === YOU && players[side === "light" ? "dark" : "light"] !== YOU ? "You" : capital(side));

  /** Return the winner and the pieces of both sides that are home. */
  function result() {
    const [light, dark] = game.position.split("/")[2].split("-");
    return `${capital(view().winner)} has won ${view().winner === "light" ? `${light} : ${dark}` : `${dark} : ${light}`}`;
  }

  /** Return a move in words, with the names of its tiles. */
  function moveWords(row) {
    const way = app.geometry[row.side ?? turn()];
    const at = (step) => (step === 0 ? "start" : (way[step - 1] ?? "home"));
    return `${at(row.from)} to ${at(row.to)}${row.captures ? ", captures" : ""}${row.rosette ? ", rosette" : ""}`;
  }

  function lossWords(rating) {
    if (!rating || rating.pass) return "";
    if (!(rating.regret > 0)) return rating.choices > 1 ? " \u2013 best" : "";
    const best = { side: rating.side, from: rating.best_from, to: rating.best_to };
    return ` \u2013 loses ${rating.approximate ? `\u2248\u00a0${loss(rating.regret, 1)}` : loss(rating.regret)} points; best was ${moveWords(best)}`;
  }

  /** Begin a game of two players, from a position and with a seed of the dice if there are any. */
  async function start(names, from = START, seed = "") {
    const { rules, pieces } = app.state;
    if (seed && !/^\d{1,15}$/.test(seed)) throw new ApiError(`seed ${seed}: must be an integer of at most 15 digits`, 400);
    players = names;
    running = true;
    line = "The game begins.";
    const date = new Date().toISOString().slice(0, 10);
    await ask({ new: { rules, pieces, position: from, ...names, date, ...(seed ? { seed: Number(seed) } : {}) } });
    app.top();
    say(line);
  }

  /** Go on with the game that is being played or saved, or begin a first game against the easiest opponent. */
  async function first() {
    if (!game && saved()) {
      const { notation, undone } = saved();
      const last = await api.post("game", { text: notation, undone }).catch(() => null);
      if (last?.rows.length && !last.view.winner) await resume();
    }
    if (!game || over()) await start({ light: YOU, dark: levels(app, false)[0].name });
    if (game.rules !== app.state.rules || game.pieces !== app.state.pieces) await app.choose(game.rules, game.pieces);
    Object.assign(app.state, { position: game.position, roll: game.roll });
    await app.show("play");
    app.board.focus("dice");
  }

  async function resume() {
    const { notation, players: names, undone } = saved();
    const answer = await api.post("game", { text: notation, undone });
    if (answer.rules !== app.state.rules || answer.pieces !== app.state.pieces) await app.choose(answer.rules, answer.pieces);
    players = names;
    running = !watching();
    line = "Your game goes on.";
    game = answer;
    await ask({ text: notation, undone });
  }

  /** Play a move, unless another was played since it was chosen. */
  async function play(move) {
    if (!moves().includes(move)) return;
    await act(move.pass ? { pass: true } : { play: `${move.from}-${move.to}` });
    tell();
  }

  async function pass() {
    if (!game || !passes()) return;
    try {
      await play(moves()[0]);
    } catch (error) {
      next(); // or the game would wait for ever
      throw error;
    }
  }

  async function roll() {
    if (!yours() || game.roll !== null) return;
    await act({ throw: null });
    line = `${player(turn())} rolled ${game.roll}${passes() ? ": no legal move" : ""}`;
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
      const now = game;
      const { rules, pieces, position } = now;
      const request = { rules, pieces, position, roll: game.roll, agents: app.catalogue.default_agent };
      for (hint = await api.get("view", request); hint.agents[0].state === "preparing"; hint = await api.get("view", request)) {
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
      if (game !== now) return;
      if (hint.agents[0].state === "refused") throw new ApiError(hint.agents[0].message, 400);
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

  /** Return the dice of a side for the board: to be thrown, as they lie, or as that side last threw them. */
  function diceOf(side) {
    const latest = game.rows.findLast((row) => row.side === side);
    const own = side === turn() && !over();
    const live = own && yours() && game.roll === null;
    const now = own && game.roll !== null;
    const thrown = now ? game.roll : live ? null : latest?.roll;
    if (thrown === undefined) return [];
    const marks = diceMarks(app.geometry.dice.rolls, thrown) ?? [];
    const past = !live && !now && (latest !== game.rows.at(-1) || game.roll !== null);
    return [{ side, marks, text: live ? "Throw" : String(thrown), label: "Throw the dice", live, past, ply: now ? game.rows.length : latest?.ply ?? 0 }];
  }

  function drawBoard() {
    const last = game.rows.at(-1);
    const open = choices();
    app.draw({
      position: game.position,
      mode: over() || watching() ? "view" : "move", // so that the focus stays while an agent plays
      moves: open,
      arrows: hinted && rated() ? arrowsOf(open, turn(), true) : [],
      last: last && !last.pass ? { side: last.side, from: last.from, to: last.to } : null,
      dice: SIDES.flatMap(diceOf),
      label: over() ? `Board: ${result()}` : `Board: ${player(turn())} to move`,
    });
    const whose = player(turn()) === "You" ? "Your turn" : `${capital(turn())} to move`;
    const state = game.roll === null ? whose : `${player(turn())} rolled ${game.roll}`;
    app.headline(over() ? result() : state, shown() ? lightsChance(view(), game.roll) : null, null, view());
  }

  function draw() {
    if (!game || app.state.view !== "play") return;
    drawBoard();
    if (!parts || parts.players !== players || parts.rules !== app.geometry) build();
    if (!parts.root.isConnected) fill($("panel"), parts.root, parts.log);
    const { title, say: words, box, list, buttons, chances, speed } = parts;
    title.textContent = SIDES.map((side) => `${capital(side)}: ${nameOf(players[side])}`).join(" \u00b7 ");
    words.textContent = line;
    const off = {
      hint: !choices().length, run: over(), ply: over() || running, redo: !game.undone.length, review: !game.rows.length,
      undo: !game.rows.some((row) => watching() || (players[row.side] === YOU && !row.pass)),
    };
    for (const [key, button] of Object.entries(buttons)) button.disabled = off[key] ?? false;
    if (buttons.run) buttons.run.textContent = running ? "Pause" : "Go on";
    if (speed) speed.disabled = over();
    buttons.review.classList.toggle("main", over());
    buttons.run?.classList.toggle("main", !over());
    chances.disabled = !rated();
    drawBox(box);
    drawLog(list);
  }

  /** Return the name of a player, with its level. */
  function nameOf(name) {
    const level = levels(app, values?.state === "known").find((entry) => entry.name === name);
    return level ? `${level.title} (${name})` : name;
  }

  /** Make the elements of the panel. */
  function build() {
    const buttons = {};
    const button = (text, key, action) => {
      buttons[key] = h("button", { type: "button", "data-key": key, onclick: () => app.run(queued(action)) }, text);
      return buttons[key];
    };
    const title = h("h2", { id: "h-play" });
    const words = h("p", { class: "say" });
    const box = h("div", { class: "choices", tabindex: "-1" });
    const list = h("tbody");
    const chances = h("input", {
      type: "checkbox", "data-key": "chances", checked: memory.get("chances") === true,
      onchange: () => { memory.set("chances", chances.checked); draw(); },
    });
    const speed = watching() ? h("input", {
      type: "range", min: 0.1, max: 3, step: 0.1, value: pace, "data-key": "pace",
      oninput: () => { pace = Number(speed.value); memory.set("pace", pace); },
    }) : null;
    const root = h("section", { class: "card game-card", "aria-labelledby": "h-play" }, title, words, box,
      h("div", { class: "row noprint" },
        watching() ? [button("Pause", "run", toggle), button("One ply", "ply", answer)] : button("Hint", "hint", help),
        button("Undo", "undo", undo), button("Redo", "redo", redo),
        button("Review", "review", () => app.review()),
        button("Save", "save", () => download("game.txt", game.notation, "text/plain")),
        button("New game", "new", stop)),
      speed && h("label", { class: "noprint wide" }, h("span", { class: "nowrap" }, "Seconds per ply"), speed),
      h("label", { class: "noprint" }, h("span", {}, chances, "Show win probabilities")));
    const log = h("section", { class: "card", "aria-labelledby": "h-log" },
      h("h2", { id: "h-log" }, "Plies of this game"),
      h("div", { class: "scroll log", tabindex: "0", role: "region", "aria-label": "Plies, the last first" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Ply"), h("th", { class: "text", scope: "col" }, "Side"), h("th", { scope: "col" }, "Roll"), h("th", { class: "text", scope: "col" }, "Move"))),
        list)));
    parts = { root, log, title, say: words, box, list, buttons, chances, speed, players, rules: app.geometry };
  }

  /** Draw your choices, or else what to do, unless the box has them already. */
  function drawBox(box) {
    const open = choices();
    const valuedMoves = hinted && rated();
    const key = JSON.stringify([game.position, game.roll, running, coach, hinted, hint !== null]);
    if (box.dataset.content === key) return;
    box.dataset.content = key;
    const others = hint?.rolls[0].moves ?? [];
    redrawn(box, () => fill(box, open.length ? h("ol", { class: "moves", "aria-label": "Moves" }, open.map((move, k) => {
      const plays = Object.entries(others.find((m) => m.from === move.from)?.plays ?? {}).filter(([, share]) => share !== "0");
      return h("li", {}, h("button", { type: "button", class: valuedMoves && move.best ? "best" : null, "data-key": `choice-${k}`, onclick: () => app.run(queued(() => play(move))) },
        h("span", {}, `${k + 1}. ${moveWords(move)}`), valuedMoves ? h("span", {}, percent(move.value, digitsOf(view()))) : plays.map(([name]) => h("span", { class: "chip" }, `${name} plays this`))));
    })) : over() ? [h("p", { class: "won" }, `${result()}.`), h("p", {}, coach)]
      : [h("p", { class: "soft" }, advice()), running || watching() || yours() ? null
        : h("button", { type: "button", "data-key": "go-on", onclick: () => app.run(queued(toggle)) }, "Go on")]));
  }

  function advice() {
    if (passes()) return `No legal move with a ${game.roll}: the turn passes.`;
    if (yours()) return "Throw the dice on the board (key R).";
    return running ? `${capital(turn())} is playing.` : "The game is paused.";
  }

  /** Add the new plies to the list, the last first, and remove those that were taken back. */
  function drawLog(list) {
    while (list.rows.length > game.rows.length) list.rows[0].remove();
    for (const row of game.rows.slice(list.rows.length)) {
      list.prepend(h("tr", {}, h("td", {}, row.ply), h("td", { class: "text" }, row.side), h("td", {}, row.roll),
        h("td", { class: "text" }, row.pass ? "pass" : moveWords(row))));
    }
  }

  function toggle() {
    running = !running;
    draw();
    next();
  }

  /** Show the form for a new game, with a button for the saved game. */
  function setUp() {
    const { rules, pieces, position } = app.state;
    const content = JSON.stringify([rules, pieces, position, values?.state]);
    if ($("new-game")?.dataset.content === content) return; // or it would be drawn again while the game is being solved
    const won = position.split("/")[2].split("-").includes(String(pieces));
    app.draw({ position, mode: "view", label: "Board" });
    app.headline("A new game");
    const solved = values?.state === "known";
    const last = $("new-game")?.elements; // the choices so far, if the form is drawn again
    if (last) players = { light: last.light.value, dark: last.dark.value };
    const all = opponents(app, solved);
    const five = levels(app, solved);
    const able = (player) => player === YOU || all.some(({ name, needs }) => name === player && (solved || !needs));
    const kind = (name) => name.split(":", 2).join(":");
    const level = (player) => five.find(({ name }) => name && kind(name) === kind(player)) ?? five[0]; // the same level of another game
    const chosen = Object.fromEntries(SIDES.map((name) => [name, able(players[name]) ? players[name] : level(players[name]).name]));
    const side = chosen.light !== YOU && chosen.dark === YOU ? "dark" : "light";
    const select = (name) => h("label", {}, capital(name), h("select", { name, "data-key": name },
      h("option", { value: YOU, selected: chosen[name] === YOU }, "you"),
      all.map(({ name: agent, text, needs }) => h("option", { value: agent, selected: chosen[name] === agent, disabled: needs && !solved }, text))));
    const notes = [
      five.some(({ rate }) => rate) && "The percentage is the win rate against optimal play.",
      five.at(-1).name === "learned" && "Perfect is the network here, because this game is not solved.",
    ].filter(Boolean);
    const form = h("form", {
      id: "new-game", "data-content": content,
      onchange: ({ target }) => arrange(form, target.name),
      onsubmit: (event) => {
        event.preventDefault();
        const of = (name) => String(new FormData(form).get(name) ?? "");
        app.run(queued(async () => {
          await start({ light: of("light"), dark: of("dark") }, of("from") || START, of("seed").trim());
          app.board.focus("dice");
        }));
      },
    },
    h("fieldset", { class: "levels" }, h("legend", {}, "Opponent"), five.map(({ title, name, rate, text }) =>
      h("label", { title: capital(text) }, h("input", { type: "radio", name: "level", value: name, disabled: !name, "data-key": `level-${title}` }),
        h("span", {}, title), h("small", { class: "soft" }, rate || (name ? "" : text))))),
    h("p", { class: "soft small" }, notes.join(" ")),
    h("div", { class: "form" },
      h("label", {}, "You play", h("select", { name: "side", "data-key": "side" }, ["light", "dark"].map((name) =>
        h("option", { value: name, selected: name === side }, name === "light" ? "light, which moves first" : "dark")))),
      position === START || won ? null : h("label", {}, "From", h("select", { name: "from" },
        h("option", { value: position }, `the position ${tiled(position, app.geometry)}`), h("option", { value: START }, "the start")))),
    h("details", {}, h("summary", { "data-key": "more" }, "More: other agents, two agents to watch, seed"),
      h("div", { class: "form" }, select("light"), select("dark"),
        h("label", {}, "Seed of the dice", h("input", { type: "text", name: "seed", "data-key": "seed", inputmode: "numeric", placeholder: "random", autocomplete: "off" })))),
    h("div", { class: "row" },
      h("button", { class: "main", type: "submit", "data-key": "begin" }, "Begin"),
      saved() ? h("button", { type: "button", "data-key": "resume", onclick: () => app.run(queued(async () => { await resume(); app.board.focus("dice"); })) }, "Resume the last game") : null));
    arrange(form, "light");
    redrawn($("panel"), () => fill($("panel"), h("section", { class: "card", "aria-labelledby": "h-new" }, h("h2", { id: "h-new" }, "A new game"), form)));
  }

  /** Make the fields of the form agree after a change of one of them. */
  function arrange({ elements: { light, dark, side, level } }, changed) {
    if (changed === "level" || changed === "side") {
      const rival = level.value || [light.value, dark.value].find((name) => name !== YOU) || YOU;
      [light.value, dark.value] = side.value === "light" ? [YOU, rival] : [rival, YOU];
    }
    const yours = SIDES.filter((name) => ({ light, dark })[name].value === YOU);
    if (yours.length === 1) [side.value] = yours;
    for (const radio of level) radio.checked = yours.length === 1 && radio.value === (yours[0] === "light" ? dark : light).value;
  }

  async function enter() {
    const last = saved();
    const { rules, pieces, position } = app.state;
    clearTimeout(timer);
    const here = () => app.state.view === "play" && app.state.rules === rules && app.state.pieces === pieces;
    const about = { rules, pieces, values: await api.get("values", { rules, pieces }) };
    await solveAtOnce(about);
    if (!here()) return;
    values = about.values;
    if (last && !game) {
      // After a reload, the saved game goes on if it has the position in the address.
      try {
        const answer = await api.post("game", { text: last.notation, undone: last.undone });
        if (!here()) return;
        if (answer.rules === rules && answer.pieces === pieces && answer.position === position && answer.rows.length && !answer.view.winner) {
          await resume();
          return;
        }
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === NO_ANSWER) throw error; // and this is tried again
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
    if (pressed === "p") return pass;
    const move = choices()[Number(pressed) - 1];
    return move ? () => play(move) : null;
  }

  return {
    enter,
    leave: () => clearTimeout(timer),
    refresh: enter,
    first: queued(first),
    moved: (move) => app.run(queued(() => play(move))),
    thrown: () => app.run(queued(roll)),
    key: (pressed, shift) => (game && KEYS.test(pressed) ? queued(() => key(pressed, shift)?.()) : null),
  };
}
