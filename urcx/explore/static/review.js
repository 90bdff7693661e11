/** The review of a game: the win probability by ply, the loss of each decision, and separate sums of luck and losses. */

import * as api from "./api.js";
import { lineChart, wholeTicks } from "./chart.js";
import { $, download, fill, h, loss, memory, notice, percent, say, signed } from "./dom.js";
import { capital } from "./explore.js";
import { unsolved } from "./solving.js";
import { certainty, diceDrawn, redrawn } from "./values.js";

const SIDES = ["light", "dark"];
const OWN = "urcx game";
// The grades of decisions, by their least loss of win probability. They are gnubg's: 0.04, 0.08 and 0.16 of its points.
const GRADES = [
  { name: "blunder", sign: "??", least: 0.08 },
  { name: "mistake", sign: "?", least: 0.04 },
  { name: "inaccuracy", sign: "?!", least: 0.02 },
];
const graded = (regret) => GRADES.find(({ least }) => regret >= least) ?? null;

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
  let trying = null; // the decision that is tried again: its legal moves, the line below the board, and the best move
  let timer = null;

  /** Return the body of a request for a game. Notation that does not name its rules gets the chosen rules. */
  const requestFor = (notation = text, chosen = defaults) => (notation.trimStart().startsWith(OWN) ? { text: notation } : { text: notation, ...chosen });

  async function load(notation, chosen = null, played = false) {
    const answer = await api.post("game", requestFor(notation, chosen));
    const board = answer.board ?? await api.get("board", { rules: answer.rules, pieces: answer.pieces });
    [text, defaults, mine, game, geometry] = [notation, chosen, played, answer, board];
    [at, review, trying] = [answer.rows.length, null, null];
    notice("");
    for (const field of $("panel").querySelectorAll("textarea")) field.value = "";
    await judge();
    app.top();
    say(review ? outcome() : "The game is loaded");
  }

  async function judge() {
    clearTimeout(timer);
    const first = !review;
    try {
      review = await api.post("review", requestFor());
      const worst = review.rows.toSorted((a, b) => b.regret - a.regret)[0];
      if (first && worst?.regret > 0) at = worst.ply;
    } catch (error) {
      if (error.status !== 404) throw error;
      review = null;
    }
    draw();
    if (!review && game.view.values.state === "solving") {
      timer = setTimeout(() => app.run(again), 600);
    }
  }

  async function again() {
    game = await api.post("game", requestFor());
    await judge();
  }

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
  const aside = (text) => h("span", { class: "other" }, text);

  const atEnd = () => at > game.rows.length;
  const ended = () => (game.result === "unfinished" ? `After ply ${game.rows.length}` : `${capital(game.result)} has won`);

  function drawBoard() {
    const plies = game.rows.length;
    if (atEnd()) {
      app.draw({ geometry, pieces: game.pieces, position: plies ? game.rows[plies - 1].position : game.start, mode: "view", label: "Board at the end" });
      app.headline(ended(), review?.light_end ?? null);
      return;
    }
    // The board has the position before the ply, because arrows begin at the pieces.
    const position = at > 1 ? game.rows[at - 2].position : game.start;
    if (trying) {
      const { side, roll } = game.rows[at - 1];
      const arrows = trying.best ? [{ ...trying.best, side, best: true, rank: null }] : [];
      app.draw({ geometry, pieces: game.pieces, position, mode: trying.best ? "view" : "move", moves: trying.moves, arrows, label: `Board: ply ${at} once more, ${side} rolled ${roll}` });
      app.headline([`Ply ${at}: ${side}`, aside(` rolled ${roll}. Which move is best?`)], at > 1 ? review.rows[at - 2].light : review.light_start);
      return;
    }
    const row = at ? game.rows[at - 1] : null;
    const rating = review?.rows[at - 1];
    const arrows = [];
    if (row && !row.pass) {
      arrows.push({ side: row.side, from: row.from, to: row.to, best: !(rating?.regret > 0), rank: null });
      if (rating?.regret > 0) arrows.push({ side: row.side, from: rating.best_from, to: rating.best_to, best: true, rank: null });
    }
    app.draw({ geometry, pieces: game.pieces, position, mode: "view", arrows, label: `Board before ply ${at}` });
    const title = row ? [`Ply ${at}: ${row.side}`, aside(` rolled ${row.roll}, ${words(row)}`)] : "The start";
    const light = (ply) => (ply ? review.rows[ply - 1].light : review.light_start);
    // The change begins after the roll, so it is the loss of the decision, without the luck of the dice.
    const rolled = row && review ? light(at - 1) + (row.side === "light" ? rating.luck : -rating.luck) : null;
    app.headline(title, review ? light(at) : null, rolled);
  }

  function draw() {
    if (app.state.view !== "review") return;
    app.status(game && !review ? unsolved(app, game.view, again, false) : null);
    if (!game) {
      app.draw({ position: "-/-/0-0/L", mode: "view", label: "Board" });
      app.headline("No game yet");
      fill($("panel"), loader());
      return;
    }
    app.about(geometry);
    drawBoard();
    redrawn($("under"), () => fill($("under"), steps(), verdict()));
    redrawn($("panel"), () => fill($("panel"), plies(), graphs(), balance(), loader()));
    const list = $("panel").querySelector(".plies");
    const here = list.querySelector(".here");
    if (!here) return;
    // Scroll the list to the ply, but leave the page where it is.
    const [head, box, row] = [list.querySelector("thead"), list, here].map((element) => element.getBoundingClientRect());
    const middle = (head.bottom + box.bottom - row.height) / 2;
    if (row.top < head.bottom || row.bottom > box.bottom) list.scrollTop += row.top - middle;
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

  /** Return the grade and loss of the decision on the board, with a button to try it again. */
  function verdict() {
    const row = review?.rows[at - 1];
    const button = (text, key, action) => h("button", { type: "button", "data-key": key, onclick: () => app.run(action) }, text);
    if (trying) return h("div", { class: "verdict noprint" }, h("p", {}, trying.line), button(trying.best ? "Done" : "Show the best move", "give-up", trying.best ? leaveTry : solution));
    if (!row) return h("div", { class: "verdict" });
    const grade = graded(row.regret);
    const text = row.pass || row.choices < 2 ? "No choice." : !(row.regret > 0) ? "A best move."
      : [grade ? h("span", { class: `grade ${grade.name}` }, `${capital(grade.name)} ${grade.sign} `) : null, `loses ${loss(row.regret)} points; best was ${words(row, row.best_from, row.best_to)}`];
    // Rules without a name on this server have a board in the answer. Requests for their positions are not possible.
    return h("div", { class: "verdict" }, h("p", {}, text), row.regret > 0 && !game.board ? button("Try again", "again", tryAgain) : null);
  }

  async function tryAgain() {
    const { rules, pieces } = game;
    const { roll } = game.rows[at - 1];
    const position = at > 1 ? game.rows[at - 2].position : game.start;
    const { rolls } = await api.get("view", { rules, pieces, position, roll });
    trying = { moves: rolls[0].moves, line: "Play the move that you think is best.", best: null };
    draw();
    say(trying.line);
  }

  function tried(move) {
    const grade = graded(move.regret);
    trying.line = move.best ? `Best: ${move.words} (win probability ${percent(move.value)})`
      : `${grade ? `${capital(grade.name)}: ` : ""}${move.words} loses ${loss(move.regret)} points. Try again?`;
    if (move.best) trying.best = move;
    draw();
    say(trying.line);
  }

  const solution = () => tried(trying.moves.find((move) => move.best));

  function leaveTry() {
    trying = null;
    draw();
  }

  function go(ply) {
    trying = null;
    at = Math.max(0, Math.min(game.rows.length && game.rows.length + 1, ply));
    draw();
    tell();
  }

  /** Show a ply while the slider is dragged, without drawing a new slider, which would end the drag. */
  function slide(event) {
    trying = null;
    at = Number(event.target.value);
    event.target.parentElement.querySelector("output").textContent = atEnd() ? "end" : at;
    drawBoard();
  }

  function tell() {
    const row = at ? game.rows[at - 1] : null;
    if (atEnd()) say("the end");
    else say(row ? `ply ${at}, ${row.side}, roll ${row.roll}, ${words(row)}` : "the start");
  }

  function balance() {
    if (!review) return null;
    const [light, dark] = SIDES.map((side) => review.sides.find((s) => s.side === side));
    const net = ({ luck, lost }) => `(${signed(luck)} \u2212 ${(100 * lost).toFixed(2)})`;
    const sum = `Light\u2019s win probability: ${percent(review.light_start)} + ${net(light)} \u2212 ${net(dark)} points = ${percent(review.light_end)}`;
    const number = (side, { name }) => review.rows.filter((row) => row.side === side && graded(row.regret)?.name === name).length;
    const grades = GRADES.toReversed();
    return h("section", { class: "card", "aria-labelledby": "h-balance" },
      h("h2", { id: "h-balance" }, "Luck and losses"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of luck and losses" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { class: "text", scope: "col" }, "Player"), h("th", { scope: "col" }, "Luck (points)"), h("th", { scope: "col" }, "Loss (points)"), grades.map(({ name, sign }) => h("th", { scope: "col", title: name, "aria-label": name }, sign)), h("th", { scope: "col" }, "Decisions"))),
        h("tbody", {}, [light, dark].map((s) => h("tr", {},
          h("td", { class: "text" }, `${player(s.side)} (${s.side})`), h("td", { class: "nowrap" }, signed(s.luck)), h("td", { class: "nowrap" }, loss(s.lost)), grades.map((grade) => h("td", {}, number(s.side, grade))), h("td", {}, s.decisions)))))),
      h("p", { class: "sum" }, sum),
      h("p", { class: "soft small" }, `Luck is the effect of the dice on the win probability, and loss the effect of decisions.${review.bound === null ? "" : ` Win probabilities are ${certainty(review.bound)}.`}`));
  }

  function graphs() {
    if (!review || !review.rows.length) return null;
    const { rows } = review;
    const last = rows.length;
    const luck = [[0, 0]];
    const skill = [[0, 0]];
    for (const row of rows) {
      const sign = row.side === "light" ? 1 : -1;
      luck.push([row.ply, luck.at(-1)[1] + sign * row.luck]);
      skill.push([row.ply, skill.at(-1)[1] - sign * row.regret]);
    }
    const most = Math.max(0.1, ...[...luck, ...skill].map(([, v]) => Math.abs(v)));
    const edge = Math.ceil(most * 10) / 10;
    const ticksX = wholeTicks(0, last, 10);
    const light = [[0, review.light_start], ...rows.map((row) => [row.ply, row.light])];
    const marks = rows.filter((row) => graded(row.regret)).map((row) => ({
      x: row.ply, y: row.light, kind: graded(row.regret).name, title: `ply ${row.ply}: ${graded(row.regret).name}, ${row.side} loses ${loss(row.regret)} points`,
    }));
    return h("section", { class: "card", "aria-labelledby": "h-graph" },
      h("h2", { id: "h-graph" }, "Light\u2019s win probability"),
      lineChart({
        label: `Light's win probability by ply, from ${percent(review.light_start)} to ${percent(review.light_end)}; rings are inaccuracies, mistakes and blunders`,
        series: [{ name: "half", kind: "half", points: [[0, 0.5], [last, 0.5]] }, { name: "light's win probability", kind: "first", points: light }],
        x: [0, last], y: [0, 1], ticksX, ticksY: [0, 0.25, 0.5, 0.75, 1].map((v) => ({ at: v, text: percent(v, 0) })),
        titleX: "ply", at: Math.min(at, last), marks, onPick: go,
      }),
      h("label", { class: "noprint small wide" }, h("span", { class: "nowrap" }, "Ply"), h("input", {
        type: "range", min: 0, max: last + 1, value: at, "data-key": "ply", "aria-valuetext": atEnd() ? "the end" : `ply ${at}`, oninput: slide, onchange: () => go(at),
      }), h("output", {}, atEnd() ? "end" : at)),
      h("h3", {}, "Sums of luck and losses, in points for light"),
      lineChart({
        label: `Sums in points for light: dice ${signed(luck.at(-1)[1])}, decisions ${signed(skill.at(-1)[1])}`,
        series: [
          { name: "no difference", kind: "half", points: [[0, 0], [last, 0]] },
          { name: "dice", kind: "first", points: luck },
          { name: "decisions", kind: "second", points: skill },
        ],
        x: [0, last], y: [-edge, edge], ticksX, ticksY: [-edge, 0, edge].map((v) => ({ at: v, text: signed(v).replace(/\.00/, "") })),
        titleX: "ply", at: Math.min(at, last), height: 190, onPick: go,
      }),
      h("p", { class: "legend" }, h("span", {}, h("span", { class: "line-key", "aria-hidden": "true" }), ` dice ${signed(luck.at(-1)[1])}`), h("span", {}, h("span", { class: "line-key dashed", "aria-hidden": "true" }), ` decisions ${signed(skill.at(-1)[1])}`)));
  }

  function plies() {
    const ratings = review?.rows ?? [];
    const unit = () => h("span", { class: "approx" }, " (points)"); // a telephone has no room for it
    return h("section", { class: "card", "aria-labelledby": "h-review" },
      h("h2", { class: "unseen", id: "h-review" }, "Review"),
      h("div", { class: "scroll log plies", tabindex: "0", role: "region", "aria-label": "Plies" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Ply"), h("th", { class: "text", scope: "col" }, h("span", { class: "unseen" }, "Side")), h("th", { scope: "col" }, "Roll"), h("th", { class: "text", scope: "col" }, "Move"),
          review ? [h("th", { scope: "col", class: "luck" }, "Luck", unit()), h("th", { scope: "col" }, "Loss", unit()), h("th", { class: "text", scope: "col" }, h("span", { class: "unseen" }, "Grade")), h("th", { scope: "col" }, "Light")] : null)),
        h("tbody", {}, game.rows.map((row, k) => {
          const r = ratings[k];
          const grade = r && graded(r.regret);
          return h("tr", { class: row.ply === at ? "here" : null },
            h("td", {}, h("button", { type: "button", "aria-label": `Show ply ${row.ply}`, "aria-pressed": String(row.ply === at), "data-key": `ply-${row.ply}`, onclick: () => go(row.ply) }, row.ply)),
            h("td", { class: "text" }, h("span", { class: `man ${row.side}`, role: "img", "aria-label": row.side })), h("td", {}, row.roll),
            h("td", { class: "text" }, words(row), row.captures ? " \u00d7" : "", row.rosette ? " \u2731" : ""),
            r ? [h("td", { class: "luck" }, signed(r.luck)),
              h("td", {}, r.pass || r.choices < 2 ? "" : r.regret > 0 ? loss(r.regret) : "0"),
              h("td", { class: "text" }, grade ? h("span", { class: `grade ${grade.name}`, role: "img", "aria-label": grade.name, title: grade.name }, grade.sign) : null),
              h("td", {}, percent(r.light))] : null);
        }), game.rows.length ? h("tr", { class: atEnd() ? "here" : null },
          h("td", {}, h("button", { type: "button", "aria-label": "Show the end", "aria-pressed": String(atEnd()), "data-key": "ply-end", onclick: () => go(game.rows.length + 1) }, "end")),
          h("td", { class: "text", colspan: review ? 7 : 3 }, ended())) : null))),
      review ? h("p", { class: "soft small" }, "Grades by loss: ", GRADES.toReversed().map(({ name, sign, least }) => `${sign} ${name} from ${100 * least} points`).join(", "), ".") : null,
      h("p", {}, outcome()),
      h("div", { class: "row noprint" }, h("span", { class: "soft" }, "Save as"),
        h("button", { type: "button", "data-key": "x-text", onclick: () => download("game.txt", game.notation, "text/plain") }, "Text"),
        game.rgn ? h("button", { type: "button", "data-key": "x-rgn", onclick: () => download("game.rgn", game.rgn, "text/plain") }, "RGN") : null,
        h("button", { type: "button", "data-key": "x-json", onclick: () => download("review.json", `${JSON.stringify(review ?? game, null, 2)}\n`, "application/json") }, "JSON"),
        review ? h("button", { type: "button", "data-key": "x-svg", onclick: () => app.run(figure) }, "SVG") : null));
  }

  function loader() {
    const saved = memory.get("game");
    const { rules, pieces } = defaults ?? app.state;
    return h("section", { class: "card noprint", "aria-labelledby": "h-load" },
      h("h2", { id: "h-load" }, game ? "Review another game" : "Review a game"),
      h("form", { onsubmit: (event) => {
        event.preventDefault();
        const form = new FormData(event.target);
        const notation = String(form.get("text"));
        if (notation.trim()) app.run(() => load(notation, chosen(form)));
        else notice("Paste a game, or choose a file");
      } },
      h("p", {}, "In urcx\u2019s notation, or in RGN or JSON of RoyalUr. If it does not name its rules, they are:"),
      h("div", { class: "form" },
        h("label", {}, "Rules", h("select", { name: "rules", "data-key": "rules" }, app.catalogue.rules.map((r) => h("option", { value: r.name, selected: r.name === rules }, r.name)))),
        h("label", {}, "Pieces per player", h("input", { type: "number", name: "pieces", min: 1, max: app.catalogue.most_pieces, value: pieces, "data-key": "pieces" }))),
      h("label", { class: "row" }, "File ", h("input", { type: "file", accept: ".txt,.rgn,.urg,.json,text/plain,application/json", "data-key": "file", onchange: (event) => {
        const [file] = event.target.files;
        const form = new FormData(event.target.form);
        if (file) app.run(async () => load(await file.text(), chosen(form)));
      } })),
      h("textarea", { name: "text", "aria-label": "A game in notation", spellcheck: "false", "data-key": "text" }),
      h("div", { class: "row" },
        h("button", { class: "main", type: "submit", "data-key": "load" }, "Review it"),
        saved ? h("button", { type: "button", "data-key": "last", onclick: () => app.run(() => load(saved.notation, null, true)) }, "The game from Play") : null)));
  }

  const chosen = (form) => ({ rules: String(form.get("rules")), pieces: Number(form.get("pieces")) });

  async function figure() {
    const { svg } = await api.post("review", { ...requestFor(), svg: true });
    download("review.svg", svg, "image/svg+xml");
  }

  async function enter() {
    const saved = memory.get("game");
    draw();
    if (saved && (mine || !game) && saved.notation !== text && saved.notation !== game?.notation) await load(saved.notation, null, true);
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

  return { enter, leave: () => clearTimeout(timer), refresh: () => (game && !review ? judge() : enter()), moved: tried, key, ownGame, outcome: () => capital(outcome()) };
}
