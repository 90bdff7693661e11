/** The review of a game: the coach's sentence, your mistakes to find better moves for, and the curve of the win probability. */

import * as api from "./api.js";
import { createBoard } from "./board.js";
import { plyCurve } from "./chart.js";
import { called, coachSentence, coached, gradesInWords } from "./coach.js";
import { $, copy, download, fill, h, loss, memory, notice, percent, say, signed } from "./dom.js";
import { ApiError, NO_ANSWER } from "./errors.js";
import { capital } from "./explore.js";
import { digitsOf, unsolved } from "./solving.js";
import { luckStrip } from "./strip.js";
import { certainty, diceDrawn, redrawn } from "./values.js";

const SIDES = ["light", "dark"];
const OWN = "urcx game";
const AGAIN = 600; // milliseconds until the next request, while the game is being solved

/**
 * Make the view.
 * @param {object} app
 * @returns {object}
 */
export function reviewView(app) {
  let text = "";
  let mine = false; // whether it is the game of the view Play
  let defaults = null; // the chosen rules and pieces, for notation that does not name them
  let game = null; // the answer of /api/game
  let review = null; // the answer of /api/review, null if the win probabilities are not known
  let geometry = null;
  let at = 0; // the ply on the board; one more than the last ply stands for the final position
  let mistakes = []; // the coached players' rows of the review with a grade, the worst first
  let solved = new Map(); // by ply, whether you found the better move yourself or had it revealed
  let boards = new Map(); // by ply, the small board of a mistake
  let listed = null; // whether the list of plies is open, null until it is opened or closed
  let rolls = new Map(); // the answers of /api/view with all rolls, by ply
  let curve = null;
  let trying = null; // the decision that is tried again: its legal moves, and the line below the board
  let timer = null;

  /** Return the body of a request for a game. Notation that does not name its rules gets the chosen rules. */
  const requestFor = (notation = text, chosen = defaults) => (notation.trimStart().startsWith(OWN) ? { text: notation } : { text: notation, ...chosen });

  async function load(notation, chosen = null, played = false) {
    const answer = await api.post("game", requestFor(notation, chosen));
    const board = answer.board ?? await api.get("board", { rules: answer.rules, pieces: answer.pieces });
    [text, defaults, mine, game, geometry] = [notation, chosen, played, answer, board];
    [at, review, trying, solved, listed] = [answer.rows.length, null, null, new Map(), null];
    notice("");
    for (const field of $("panel").querySelectorAll("textarea")) field.value = "";
    await judge();
    app.top();
    say(review ? `${coachSentence(review, game)} ${outcome()}` : "The game is loaded");
  }

  async function judge() {
    clearTimeout(timer);
    const [now, first] = [text, !review];
    let answer = null;
    try {
      answer = await api.post("review", requestFor());
    } catch (error) {
      if (text !== now) return;
      if (error.status !== 404) {
        if (first) {
          prepare();
          draw();
        }
        throw error;
      }
    }
    if (text !== now) return; // another game has been loaded
    review = answer;
    prepare();
    if (first && mistakes.length) at = mistakes[0].ply;
    draw();
    wait();
  }

  /** Make the parts that stay while the board goes from ply to ply. */
  function prepare() {
    boards = new Map();
    rolls = new Map();
    [mistakes, curve] = [[], null];
    if (!review?.rows.length) return;
    const sides = coached(game);
    const graded = review.rows.filter(({ grade }) => grade);
    mistakes = graded.filter(({ side }) => sides.includes(side)).sort((a, b) => b.regret - a.regret);
    const grave = mistakes.filter((row) => row.grade !== "inaccuracy");
    if (grave.length) mistakes = grave;
    curve = plyCurve({
      label: "Ply, on the curve of light\u2019s win probability",
      values: [review.light_start, ...review.rows.map(({ light }) => light)],
      marks: graded.map((row) => ({ ply: row.ply, kind: row.grade, title: `ply ${row.ply}: ${row.side}, ${row.grade}` })),
      onPick: (ply, dragged) => go(ply, !dragged),
    });
    curve.element.addEventListener("keydown", (event) => {
      const work = key(event.key);
      if (!work) return;
      event.preventDefault();
      work();
    });
  }

  const solving = () => game.view.values.state === "solving";

  function wait() {
    if (app.state.view === "review" && solving()) timer = setTimeout(() => app.run(again), AGAIN);
  }

  async function again() {
    const now = text;
    const answer = await api.post("game", requestFor());
    if (text !== now || app.state.view !== "review") return;
    game = answer;
    if (!review || !solving()) {
      await judge();
      return;
    }
    status();
    wait();
  }

  /** Solve the game, because its win probabilities are estimates. */
  async function solve() {
    const { rules, pieces } = game;
    await api.post("values", { rules, pieces, stop: false });
    say("The game is being solved");
    await again();
  }

  /** Return the review as an answer whose field `values` says whether it has estimates. */
  const source = () => (review?.approximate ? { values: { source: "network" } } : null);
  const digits = () => digitsOf(source() ?? { values: {} });
  const near = () => (review.approximate ? "\u2248\u00a0" : "");
  const signOf = (grade) => review.grades.find(({ name }) => name === grade).sign;
  const lost = (regret) => `${near()}${loss(regret, digits())}`;

  const player = (side) => game[side] || side;

  function outcome() {
    const players = `${player("light")} (light) against ${player("dark")} (dark)`;
    const end = game.result === "unfinished" ? "unfinished" : `${game.result} has won`;
    return `${players}, ${game.rules} with ${game.pieces} pieces: ${end} after ${game.rows.length} plies`;
  }

  function words(row, from = row.from, to = row.to) {
    if (row.pass) return "pass";
    const way = geometry[row.side];
    const name = (step) => (step === 0 ? "start" : (way[step - 1] ?? "home"));
    return `${name(from)} to ${name(to)}`;
  }

  /** Return text that a telephone leaves out, because its line above the board must not wrap. */
  const aside = (part) => h("span", { class: "other" }, part);

  const atEnd = () => at > game.rows.length;
  const ended = () => (game.result === "unfinished" ? `After ply ${game.rows.length}` : `${capital(game.result)} has won`);
  const before = (ply) => (ply > 1 ? game.rows[ply - 2].position : game.start);
  /** Return whether the better move of a decision is not shown yet. Rules without a name have no requests for positions, so theirs is. */
  const hidden = (row) => !game.board && mistakes.includes(row) && !solved.has(row.ply);

  /** Return the arrows of a decision: the move, and the better move unless it is hidden. */
  function arrowsOf(row, rating) {
    if (row.pass) return [];
    const worse = rating?.regret > 0;
    const arrows = [{ side: row.side, from: row.from, to: row.to, best: !worse, rank: null }];
    return worse && !hidden(rating) ? [...arrows, { side: row.side, from: rating.best_from, to: rating.best_to, best: true, rank: null }] : arrows;
  }

  function drawBoard() {
    const plies = game.rows.length;
    const shape = { geometry, pieces: game.pieces };
    if (atEnd()) {
      app.draw({ ...shape, position: plies ? game.rows[plies - 1].position : game.start, mode: "view", label: "Board at the end" });
      app.headline(ended(), review?.light_end ?? null, null, source());
      return;
    }
    const light = (ply) => (ply ? review.rows[ply - 1].light : review.light_start);
    // The board has the position before the ply, because arrows begin at the pieces.
    const position = before(at);
    if (trying) {
      const { side, roll } = game.rows[at - 1];
      app.draw({ ...shape, position, mode: "move", moves: trying.moves, label: `Board: ply ${at} once more, ${side} rolled ${roll}` });
      app.headline([`Ply ${at}: ${side}`, aside(` rolled ${roll}. Which move is best?`)], light(at - 1), null, source());
      return;
    }
    const row = at ? game.rows[at - 1] : null;
    const rating = review?.rows[at - 1];
    app.draw({ ...shape, position, mode: "view", arrows: row ? arrowsOf(row, rating) : [], label: `Board before ply ${at}` });
    const title = row ? [`Ply ${at}: ${row.side}`, aside(` rolled ${row.roll}, ${words(row)}`)] : "The start";
    // The change begins after the roll, so it is the loss of the decision, without the luck of the dice.
    const rolled = row && review ? light(at - 1) + (row.side === "light" ? rating.luck : -rating.luck) : null;
    app.headline(title, review ? light(at) : null, rolled, source());
  }

  function status() {
    const { state, error } = game?.view.values ?? {};
    app.status(game && state !== "known" && (!review || solving() || error) ? unsolved(app, game.view, again, false) : null);
  }

  /** Show the ply. While the curve is dragged, the panel waits. */
  function draw(whole = true) {
    if (app.state.view !== "review") return;
    status();
    if (!game) {
      app.draw({ position: "-/-/0-0/L", mode: "view", label: "Board" });
      app.headline("No game yet");
      redrawn($("panel"), () => fill($("panel"), loader()));
      return;
    }
    app.about(geometry);
    drawBoard();
    const under = $("under");
    // The curve stays the same element, or a new one would end the drag.
    if (!under.querySelector("#ply")) fill(under, h("div", { id: "curve" }), h("div", { id: "ply", tabindex: -1 }));
    if (curve?.element.parentNode !== $("curve")) fill($("curve"), curve?.element);
    curve?.show(at, place());
    redrawn($("ply"), () => fill($("ply"), steps(), verdict()));
    if (!whole) return;
    redrawn($("panel"), () => fill($("panel"), coach(), quiz(), luck(), plies(), loader()));
    follow();
  }

  /** Scroll the list and the mistakes to the ply, but leave the page where it is. */
  function follow() {
    const list = $("panel").querySelector(".plies");
    const here = list?.querySelector(".here");
    if (here) {
      const [head, box, row] = [list.querySelector("thead"), list, here].map((element) => element.getBoundingClientRect());
      const middle = (head.bottom + box.bottom - row.height) / 2;
      if (row.top < head.bottom || row.bottom > box.bottom) list.scrollTop += row.top - middle;
    }
    const row = $("panel").querySelector(".boards");
    const chosen = row?.querySelector("[aria-pressed=true]");
    if (!chosen) return;
    const [box, item] = [row, chosen].map((element) => element.getBoundingClientRect());
    if (item.left < box.left || item.right > box.right) row.scrollLeft += item.left - box.left - (box.width - item.width) / 2;
  }

  /** Return the buttons under the board. */
  function steps() {
    const last = game.rows.length + 1;
    const button = (sign, key, label, ply) => h("button", { type: "button", "data-key": key, "aria-label": label, disabled: ply === at || ply < 0 || ply > last, onclick: () => go(ply) }, sign);
    return h("div", { class: "steps noprint", role: "group", "aria-label": "Plies" },
      button("|<", "first", "The start", 0), button("<", "back", "Previous ply", at - 1),
      h("span", {}, atEnd() ? "end" : `${at} of ${game.rows.length}`),
      at && !atEnd() ? diceDrawn(geometry.dice.rolls, game.rows[at - 1].roll) : null,
      button(">", "on", "Next ply", at + 1), button(">|", "last", "The end", last));
  }

  const button = (label, key, action, main = false) => h("button", { type: "button", class: main ? "main" : null, "data-key": key, onclick: () => app.run(action) }, label);

  /** Return the grade and loss of the decision on the board, with buttons to look for the best move. */
  function verdict() {
    const row = review?.rows[at - 1];
    if (!row) return h("div", { class: "verdict" });
    if (trying) return h("div", { class: "verdict noprint" }, h("p", {}, trying.line), button("Reveal", "reveal", reveal));
    const worse = row.regret > 0;
    const grade = row.grade;
    const better = hidden(row) ? "." : `; ${solved.get(at) ? "you found" : "best was"} ${words(row, row.best_from, row.best_to)}.`;
    const line = row.pass || row.choices < 2 ? "No choice." : !worse ? "A best move."
      : [grade ? h("span", { class: `grade ${grade}` }, `${capital(grade)} ${signOf(grade)} `) : null, `loses ${lost(row.regret)} points${better}`];
    const next = solved.has(at) && mistakes.find(hidden);
    return h("div", { class: "verdict" }, h("p", {}, line), h("div", { class: "row noprint" },
      hidden(row) ? [button("Find the better move", "again", tryAgain, true), button("Reveal", "reveal", reveal)]
        : worse && !game.board ? button("Try again", "again", tryAgain) : null,
      next ? button("Next mistake", "next", () => go(next.ply), true) : null));
  }

  async function tryAgain() {
    const { rules, pieces } = game;
    const [ply, now] = [at, text];
    const { side, roll } = game.rows[ply - 1];
    const { rolls: [{ moves }] } = await api.get("view", { rules, pieces, position: before(ply), roll });
    if (ply !== at || text !== now || app.state.view !== "review") return;
    trying = { moves, line: "Play the move that you think is best." };
    draw();
    // The moves are best first, so the focus goes to the hindmost piece.
    app.board.focus(geometry[side][Math.min(...trying.moves.map((move) => move.from)) - 1] ?? `${side}-start`);
    say(trying.line);
  }

  function tried(move) {
    if (move.best) {
      settle(true, `Best: ${move.words} (win probability ${near()}${percent(move.value, digits())})`);
      return;
    }
    trying.line = `${move.words} loses ${lost(move.regret)} points. Try again?`;
    draw();
    say(trying.line);
  }

  function reveal() {
    const row = review.rows[at - 1];
    settle(false, `Best was ${words(row, row.best_from, row.best_to)}`);
  }

  /** Show the best move, which you found or had revealed. The first counts. */
  function settle(yourself, line) {
    if (!solved.has(at)) solved.set(at, yourself);
    boards.delete(at);
    leaveTry();
    const next = ["next", "again"].map((name) => $("ply").querySelector(`[data-key=${name}]`)).find(Boolean);
    next.focus({ preventScroll: true });
    say(`${line}. ${counted()}`);
  }

  const counted = () => `${mistakes.filter(({ ply }) => solved.get(ply)).length} of ${mistakes.length} found`;

  function leaveTry() {
    trying = null;
    draw();
  }

  function go(ply, whole = true) {
    trying = null;
    at = Math.max(0, Math.min(game.rows.length && game.rows.length + 1, ply));
    draw(whole);
    if (whole) say(place());
  }

  function place() {
    const row = at ? game.rows[at - 1] : null;
    if (atEnd()) return "the end";
    return row ? `ply ${at}, ${row.side}, roll ${row.roll}, ${words(row)}` : "the start";
  }

  /** Return the card on top: who lost how much by decisions, and what the dice gave. */
  function coach() {
    if (!review) return h("section", { class: "card", "aria-labelledby": "h-coach" }, h("h2", { id: "h-coach" }, outcome()));
    const { light_start: start, light_end: end, bound, approximate, sides } = review;
    const [light, dark] = SIDES.map((side) => sides.find((entry) => entry.side === side));
    const most = Math.max(1e-9, ...sides.flatMap(({ luck, lost: loses }) => [Math.abs(luck), loses]));
    const bar = (kind, value) => h("td", { class: "wide" }, h("svg", { class: "tally-bar", viewBox: `${-most} 0 ${2 * most} 1`, preserveAspectRatio: "none", "aria-hidden": "true" },
      h("rect", { class: kind, x: Math.min(0, value), y: 0, width: Math.abs(value), height: 1 }), h("line", { x1: 0, x2: 0, y1: 0, y2: 1 })));
    const amount = (value) => h("td", { class: "nowrap" }, near(), signed(value, digits()));
    const net = ({ luck, lost: loses }) => `(${signed(luck, digits())} \u2212 ${(100 * loses).toFixed(digits())})`;
    const { state, fits, takes } = game.view.values;
    return h("section", { class: "card", "aria-labelledby": "h-coach" },
      h("h2", { id: "h-coach" }, coached(game).map((side) => h("span", {}, `${coachSentence(review, game, [side])} ${gradesInWords(review, side)} `))),
      h("p", { class: "soft small" }, `${outcome()}.`),
      h("table", { class: "tally" }, h("caption", { class: "unseen" }, "Luck of the dice and loss by decisions of both players, in points"), h("tbody", {}, [light, dark].map((side) => [
        h("tr", {}, h("th", { class: "text", scope: "row", rowspan: 2 }, called(game, side.side), h("div", {}, `${side.decisions} decisions`)), h("td", { class: "text" }, "luck"), amount(side.luck), bar("by-luck", side.luck)),
        h("tr", {}, h("td", { class: "text" }, "skill"), amount(-side.lost), bar("by-skill", -side.lost)),
      ]))),
      h("p", { class: "sum small" }, `Light\u2019s win probability: ${near()}${percent(start, digits())} + ${net(light)} \u2212 ${net(dark)} points = ${percent(end, digits())}`),
      approximate ? h("p", { class: "soft small" }, "\u2248 marks a network\u2019s estimate. ", state === "solvable" && fits ? h("button", { class: "plain small noprint", type: "button", "data-key": "exact", title: `Solves the game: ${takes}`, onclick: () => app.run(solve) }, "Make it exact") : null)
        : bound === null ? null : h("p", { class: "soft small" }, `Win probabilities are ${certainty(bound)}.`));
  }

  /** Return the card of the luck strip of the ply, which appears when its rolls have been loaded. */
  function luck() {
    const row = review?.rows[at - 1];
    if (!row || game.board || trying) return null;
    if (!rolls.has(at)) app.run(() => loadRolls(at));
    const view = rolls.get(at);
    if (typeof view?.value !== "number") return null;
    const amount = `${near()}${loss(Math.abs(row.luck), digits())}`;
    const dice = row.luck < 0 ? `took ${amount} points from ${row.side}` : `gave ${row.side} ${amount} points`;
    return h("section", { class: "card", "aria-labelledby": "h-luck" },
      h("h2", { id: "h-luck" }, "The luck of this ply"),
      h("p", { class: "soft small" }, `The dice ${dice}.${row.regret > 0 ? ` The move, the red line, lost ${lost(row.regret)} points.` : ""}`),
      luckStrip({ before: row.before, rolls: view.rolls, side: row.side, roll: row.roll, played: row.regret > 0 ? row.after : null, small: true, digits: digits(), near: review.approximate }));
  }

  async function loadRolls(ply) {
    const { rules, pieces } = game;
    const loaded = rolls;
    loaded.set(ply, null);
    try {
      loaded.set(ply, await api.get("view", { rules, pieces, position: before(ply) }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // a file without a server has only some positions
      if (error.status === NO_ANSWER || error.status >= 429) loaded.delete(ply);
    }
    if (loaded === rolls && loaded.get(ply) && ply === at) draw();
  }

  /** Return the mistakes as small boards, the worst first. */
  function quiz() {
    if (!mistakes.length) return null;
    const now = mistakes.findIndex(({ ply }) => ply === at);
    const step = (sign, key, label, way) => {
      const next = mistakes[now < 0 ? 0 : now + way];
      return h("button", { type: "button", "data-key": key, "aria-label": label, disabled: !next, onclick: () => go(next.ply) }, sign);
    };
    return h("section", { class: "card noprint", "aria-labelledby": "h-mistakes" },
      h("div", { class: "row head" }, h("h2", { id: "h-mistakes" }, coached(game).length === 1 ? "Your mistakes" : "Mistakes"), h("p", { class: "soft" }, counted()),
        step("<", "worse", "The mistake before, which is worse", -1), step(">", "milder", "The next mistake, which is less bad", 1)),
      h("div", { class: "scroll boards", role: "group", "aria-label": "Mistakes, the worst first" }, mistakes.map((row) => {
        const { ply } = row;
        if (!boards.has(ply)) boards.set(ply, smallBoard(row));
        const grade = row.grade;
        const state = solved.has(ply) ? (solved.get(ply) ? "found" : "revealed") : "";
        return h("button", { type: "button", "data-key": `mistake-${ply}`, "aria-pressed": String(ply === at), "aria-label": `Ply ${ply}, ${grade}, loses ${lost(row.regret)} points${state && `, ${state}`}`, onclick: () => go(ply) },
          boards.get(ply), h("span", {}, h("span", { class: `grade ${grade}` }, signOf(grade)), ` \u2212${loss(row.regret, digits())}`), h("span", { class: state === "found" ? "good" : "soft" }, state ? `${state === "found" ? "\u2713 " : ""}${state}` : `ply ${ply}`));
      })));
  }

  /** Draw the board of a mistake without the pools. Moves from and to a pool cross its edge. */
  function smallBoard(row) {
    const { ply } = row;
    const element = h("span", { class: "small-board", inert: true });
    const board = createBoard(element, { geometry, pieces: game.pieces, position: before(ply), arrows: arrowsOf(game.rows[ply - 1], row), label: `Board before ply ${ply}` });
    const { top, bottom, width } = board.layout;
    board.svg.querySelector(".places").remove();
    board.svg.setAttribute("viewBox", `0 ${top - 8} ${width} ${bottom - top + 16}`);
    return element;
  }

  function plies() {
    const ratings = review?.rows ?? [];
    const unit = () => h("span", { class: "approx" }, " (points)"); // a telephone has no room for it
    const file = (label, key, name, content, type = "text/plain") => button(label, key, () => download(name, content, type));
    return h("section", { class: "card", "aria-label": "Plies" },
      h("details", { open: listed ?? !mistakes.length, ontoggle: (event) => { listed = event.target.open; follow(); } }, h("summary", { "data-key": "x-plies" }, `All ${game.rows.length} plies`),
        h("div", { class: "scroll log plies", tabindex: "0", role: "region", "aria-label": "Plies" }, h("table", {},
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Ply"), h("th", { class: "text", scope: "col" }, h("span", { class: "unseen" }, "Side")), h("th", { scope: "col" }, "Roll"), h("th", { class: "text", scope: "col" }, "Move"),
            review ? [h("th", { scope: "col", class: "luck" }, "Luck", unit()), h("th", { scope: "col" }, "Loss", unit()), h("th", { class: "text", scope: "col" }, h("span", { class: "unseen" }, "Grade")), h("th", { scope: "col" }, "Light")] : null)),
          h("tbody", {}, game.rows.map((row, k) => {
            const r = ratings[k];
            const grade = r?.grade;
            return h("tr", { class: row.ply === at ? "here" : null },
              h("td", {}, h("button", { type: "button", "aria-label": `Show ply ${row.ply}`, "aria-pressed": String(row.ply === at), "data-key": `ply-${row.ply}`, onclick: () => go(row.ply) }, row.ply)),
              h("td", { class: "text" }, h("span", { class: `man ${row.side}`, role: "img", "aria-label": row.side })), h("td", {}, row.roll),
              h("td", { class: "text" }, words(row), row.captures ? " \u00d7" : "", row.rosette ? " \u2731" : ""),
              r ? [h("td", { class: "luck" }, signed(r.luck, digits())),
                h("td", {}, r.pass || r.choices < 2 ? "" : r.regret > 0 ? loss(r.regret, digits()) : "0"),
                h("td", { class: "text" }, grade ? h("span", { class: `grade ${grade}`, role: "img", "aria-label": grade, title: grade }, signOf(grade)) : null),
                h("td", {}, percent(r.light, digits()))] : null);
          }), game.rows.length ? h("tr", { class: atEnd() ? "here" : null },
            h("td", {}, h("button", { type: "button", "aria-label": "Show the end", "aria-pressed": String(atEnd()), "data-key": "ply-end", onclick: () => go(game.rows.length + 1) }, "end")),
            h("td", { class: "text", colspan: review ? 7 : 3 }, ended())) : null)))),
      h("details", { class: "noprint" }, h("summary", { "data-key": "x-save" }, "Save, copy or print"), h("div", { class: "row" },
        file("Text", "x-text", "game.txt", game.notation),
        game.rgn ? file("RGN", "x-rgn", "game.rgn", game.rgn) : null,
        file("JSON", "x-json", "review.json", `${JSON.stringify(review ?? game, null, 2)}\n`, "application/json"),
        review ? button("SVG", "x-svg", figure) : null,
        button("Copy", "x-copy", () => copy("x-copy", game.notation, "game", "Save the text instead.")), button("Print", "x-print", () => print()))));
  }

  function loader() {
    const saved = memory.get("game");
    const { rules, pieces } = defaults ?? app.state;
    const { example_game: example } = app.catalogue;
    const form = h("form", { onsubmit: (event) => {
      event.preventDefault();
      const notation = String(new FormData(event.target).get("text"));
      if (notation.trim()) app.run(() => load(notation, chosen()));
      else notice("Paste a game, or choose a file");
    } },
    h("div", { class: "row" },
      example ? button("Show an example game", "example", () => load(example), !game) : null,
      saved ? button("The game from Play", "last", () => load(saved.notation, null, true)) : null),
    h("label", { class: "drop" }, "Drop the file of a game here, or choose one ", h("input", { type: "file", accept: ".txt,.rgn,.urg,.json,text/plain,application/json", "data-key": "file", onchange: (event) => take(event.target.files[0]) })),
    h("textarea", { name: "text", "aria-label": "A game in notation", placeholder: "Or paste a game, in urcx\u2019s notation or in RoyalUr\u2019s RGN or JSON", spellcheck: "false", "data-key": "text" }),
    h("div", { class: "form" },
      h("label", {}, "Rules, if the game does not name them", h("select", { name: "rules", "data-key": "rules" }, app.catalogue.rules.map((r) => h("option", { value: r.name, selected: r.name === rules }, r.name)))),
      h("label", {}, "Pieces per player", h("input", { type: "number", name: "pieces", min: 1, max: app.catalogue.most_pieces, value: pieces, "data-key": "pieces" }))),
    h("div", { class: "row" }, h("button", { type: "submit", "data-key": "load" }, "Review it")));
    if (game) return h("details", { class: "card loader noprint" }, h("summary", { "data-key": "other" }, "Review another game"), form);
    return h("section", { class: "card noprint", "aria-labelledby": "h-load" },
      h("h2", { id: "h-load" }, "Review a game"),
      h("ul", { class: "lines" },
        h("li", {}, "A review separates luck from skill."),
        h("li", {}, "It measures the points of win probability that the dice gave you and that your decisions lost."),
        h("li", {}, "Then it sets up your mistakes again, and you look for the better moves.")),
      form);
  }

  /** Return the chosen rules and pieces, for a game that does not name them. */
  function chosen() {
    const form = new FormData($("panel").querySelector("form"));
    return { rules: String(form.get("rules")), pieces: Number(form.get("pieces")) };
  }

  /** Review the game in a file. */
  function take(file) {
    if (file) app.run(async () => load(await file.text(), chosen()));
  }

  /** Take a file that is dropped anywhere on the page. */
  function dropping(event) {
    if (app.state.view !== "review" || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    document.body.classList.toggle("dropping", event.type === "dragover");
    if (event.type === "drop") take(event.dataTransfer.files[0]);
  }
  for (const name of ["dragover", "dragleave", "drop"]) document.addEventListener(name, dropping);

  async function figure() {
    const { svg } = await api.post("review", { ...requestFor(), svg: true });
    download("review.svg", svg, "image/svg+xml");
  }

  async function enter() {
    const saved = memory.get("game");
    draw();
    if (saved && (mine || !game) && saved.notation !== text && saved.notation !== game?.notation) await load(saved.notation, null, true);
    else if (game && (!review || review.approximate)) await again();
  }

  /** Review the game of the view Play when this view opens. */
  function ownGame() {
    mine = true;
  }

  function key(pressed) {
    if (!game) return null;
    if (pressed === "Escape" && trying) return leaveTry;
    const ply = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: game.rows.length + 1 }[pressed];
    return ply === undefined ? null : () => go(ply);
  }

  return { enter, leave: () => clearTimeout(timer), refresh: () => (game && !review ? judge() : enter()), moved: tried, key, ownGame };
}
