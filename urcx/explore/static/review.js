/** The review of a game: the chance of winning by ply, what each decision cost, luck and skill apart. */

import * as api from "./api.js";
import { lineChart, wholeTicks } from "./chart.js";
import { $, download, fill, h, lost, memory, notice, percent, say, signed } from "./dom.js";
import { capital } from "./explore.js";
import { unsolved } from "./solving.js";
import { diceDrawn, redrawn, small } from "./values.js";

const SIDES = ["light", "dark"];
const OWN = "urcx game";
// A decision's grade by what it loses of the chance of winning, at least: gnubg's bounds, 0.04, 0.08 and 0.16 points.
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
  let mine = false; // whether it is the game that is played here
  let own = null; // the rules and pieces of notation that does not say them
  let game = null; // the answer of /api/game
  let found = null; // the answer of /api/review, null where the chances are not known
  let geometry = null;
  let at = 0; // the ply whose outcome is on the board; after the last one, how the game stands then
  let trying = null; // the decision that is tried again: its legal moves, what is said, the best once found
  let timer = null;

  /** A game as the API takes it: notation that does not say its rules gets those that were chosen for it. */
  const asked = (given = text, chosen = own) => (given.trimStart().startsWith(OWN) ? { text: given } : { text: given, ...chosen });

  async function load(given, chosen = null, played = false) {
    const read = await api.post("game", asked(given, chosen));
    const board = read.board ?? await api.get("board", { rules: read.rules, pieces: read.pieces });
    [text, own, mine, game, geometry] = [given, chosen, played, read, board];
    [at, found, trying] = [read.rows.length, null, null];
    notice("");
    for (const field of $("panel").querySelectorAll("textarea")) field.value = "";
    await judge();
    app.top();
    say(found ? outcome() : "The game is loaded");
  }

  async function judge() {
    clearTimeout(timer);
    const first = !found;
    try {
      found = await api.post("review", asked());
      const worst = found.rows.toSorted((a, b) => b.regret - a.regret)[0];
      if (first && worst?.regret > 0) at = worst.ply;
    } catch (error) {
      if (error.status !== 404) throw error;
      found = null;
    }
    draw();
    if (!found && game.view.values.state === "solving") {
      timer = setTimeout(() => app.run(again), 600);
    }
  }

  async function again() {
    game = await api.post("game", asked());
    await judge();
  }

  const player = (side) => game[side] || side;

  function outcome() {
    const who = `${player("light")} (light) against ${player("dark")} (dark)`;
    const end = game.result === "unfinished" ? "unfinished" : `${game.result} has won`;
    return `${who}, ${game.rules} with ${game.pieces} pieces: ${end} after ${game.rows.length} plies`;
  }

  function words(row, from = row.from, to = row.to) {
    if (row.pass) return "pass";
    const way = geometry[row.side];
    const name = (step) => (step === 0 ? "start" : (way[step - 1] ?? "home"));
    return `${name(from)} to ${name(to)}`;
  }

  /** What a telephone leaves out, so that the line above the board is one line at each ply. */
  const aside = (text) => h("span", { class: "other" }, text);

  const atEnd = () => at > game.rows.length;
  const ended = () => (game.result === "unfinished" ? `After ply ${game.rows.length}` : `${capital(game.result)} has won`);

  function drawBoard() {
    const plies = game.rows.length;
    if (atEnd()) {
      app.draw({ geometry, pieces: game.pieces, position: plies ? game.rows[plies - 1].position : game.start, mode: "view", label: "Board at the end" });
      app.headline(ended(), found?.light_end ?? null);
      return;
    }
    // The position before the ply, so that the arrows begin where the pieces stand.
    const position = at > 1 ? game.rows[at - 2].position : game.start;
    if (trying) {
      const { side, roll } = game.rows[at - 1];
      const arrows = trying.best ? [{ ...trying.best, side, best: true, rank: null }] : [];
      app.draw({ geometry, pieces: game.pieces, position, mode: trying.best ? "view" : "move", moves: trying.moves, arrows, label: `Board: ply ${at} once more, ${side} rolled ${roll}` });
      app.headline([`Ply ${at}: ${side}`, aside(` rolled ${roll}. What is best?`)], at > 1 ? found.rows[at - 2].light : found.light_start);
      return;
    }
    const row = at ? game.rows[at - 1] : null;
    const judged = found?.rows[at - 1];
    const arrows = [];
    if (row && !row.pass) {
      arrows.push({ side: row.side, from: row.from, to: row.to, best: !(judged?.regret > 0), rank: null });
      if (judged?.regret > 0) arrows.push({ side: row.side, from: judged.best_from, to: judged.best_to, best: true, rank: null });
    }
    app.draw({ geometry, pieces: game.pieces, position, mode: "view", arrows, label: `Board before ply ${at}` });
    const who = row ? [`Ply ${at}: ${row.side}`, aside(` rolled ${row.roll}, ${words(row)}`)] : "The start";
    const light = (ply) => (ply ? found.rows[ply - 1].light : found.light_start);
    // Before the move, but after the roll: what is lost between them is the decision's.
    const rolled = row && found ? light(at - 1) + (row.side === "light" ? judged.luck : -judged.luck) : null;
    app.headline(who, found ? light(at) : null, rolled);
  }

  function draw() {
    if (app.state.view !== "review") return;
    app.status(game && !found ? unsolved(app, game.view, again, false) : null);
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
    // The list follows the ply, and moves nothing else.
    const [head, box, row] = [list.querySelector("thead"), list, here].map((element) => element.getBoundingClientRect());
    const middle = (head.bottom + box.bottom - row.height) / 2;
    if (row.top < head.bottom || row.bottom > box.bottom) list.scrollTop += row.top - middle;
  }

  /** The buttons under the board. */
  function steps() {
    const last = game.rows.length + 1;
    const button = (sign, key, said, ply) => h("button", { type: "button", "data-key": key, "aria-label": said, disabled: ply === at || ply < 0 || ply > last, onclick: () => go(ply) }, sign);
    return h("div", { class: "steps noprint", role: "group", "aria-label": "Plies" },
      button("|<", "first", "The start", 0), button("<", "back", "Ply before", at - 1),
      h("span", {}, atEnd() ? "end" : `${at} of ${game.rows.length}`),
      at && !atEnd() ? diceDrawn(geometry.dice.rolls, game.rows[at - 1].roll) : null,
      button(">", "on", "Next ply", at + 1), button(">|", "last", "The end", last));
  }

  /** What the decision on the board was worth, and a way to try it again. */
  function verdict() {
    const row = found?.rows[at - 1];
    const button = (text, key, does) => h("button", { type: "button", "data-key": key, onclick: () => app.run(does) }, text);
    if (trying) return h("div", { class: "verdict noprint" }, h("p", {}, trying.said), button(trying.best ? "Done" : "Show what is best", "give-up", trying.best ? leaveTry : solution));
    if (!row) return h("div", { class: "verdict" });
    const grade = graded(row.regret);
    const text = row.pass || row.choices < 2 ? "Nothing to choose." : !(row.regret > 0) ? "A best move."
      : [grade ? h("span", { class: `grade ${grade.name}` }, `${capital(grade.name)} ${grade.sign} `) : null, `costs ${lost(row.regret)}; best was ${words(row, row.best_from, row.best_to)}`];
    // By rules that have no name here, nothing can be asked of a position.
    return h("div", { class: "verdict" }, h("p", {}, text), row.regret > 0 && !game.board ? button("Try again", "again", tryAgain) : null);
  }

  async function tryAgain() {
    const { rules, pieces } = game;
    const { roll } = game.rows[at - 1];
    const position = at > 1 ? game.rows[at - 2].position : game.start;
    const { rolls } = await api.get("view", { rules, pieces, position, roll });
    trying = { moves: rolls[0].moves, said: "Play the move that you think is best.", best: null };
    draw();
    say(trying.said);
  }

  function tried(move) {
    const grade = graded(move.regret);
    trying.said = move.best ? `Best: ${move.words}, wins with ${percent(move.value)}`
      : `${grade ? `${capital(grade.name)}: ` : ""}${move.words} costs ${lost(move.regret)}. Once more?`;
    if (move.best) trying.best = move;
    draw();
    say(trying.said);
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
    told();
  }

  /** Show a ply while the slider is dragged, which a new slider would end. */
  function slide(event) {
    trying = null;
    at = Number(event.target.value);
    event.target.parentElement.querySelector("output").textContent = atEnd() ? "end" : at;
    drawBoard();
  }

  function told() {
    const row = at ? game.rows[at - 1] : null;
    if (atEnd()) say("the end");
    else say(row ? `ply ${at}, ${row.side}, roll ${row.roll}, ${words(row)}` : "the start");
  }

  function balance() {
    if (!found) return null;
    const [light, dark] = SIDES.map((side) => found.sides.find((s) => s.side === side));
    const sum = `Light\u2019s chance ${percent(found.light_start)} + (${signed(light.luck)} \u2212 ${percent(light.lost)}) \u2212 (${signed(dark.luck)} \u2212 ${percent(dark.lost)}) = ${percent(found.light_end)}`;
    const number = (side, { name }) => found.rows.filter((row) => row.side === side && graded(row.regret)?.name === name).length;
    const worst = GRADES.toReversed();
    return h("section", { class: "card", "aria-labelledby": "h-balance" },
      h("h2", { id: "h-balance" }, "Luck and skill"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of luck and skill" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { class: "text", scope: "col" }, "Player"), h("th", { scope: "col" }, "Luck"), h("th", { scope: "col" }, "Lost"), worst.map(({ name, sign }) => h("th", { scope: "col", title: name, "aria-label": name }, sign)), h("th", { scope: "col" }, "Decisions"))),
        h("tbody", {}, [light, dark].map((s) => h("tr", {},
          h("td", { class: "text" }, `${player(s.side)} (${s.side})`), h("td", { class: "nowrap" }, signed(s.luck)), h("td", { class: "nowrap" }, percent(s.lost)), worst.map((grade) => h("td", {}, number(s.side, grade))), h("td", {}, s.decisions)))))),
      h("p", { class: "sum" }, sum),
      h("p", { class: "soft small" }, `Luck: what the dice gave; lost: what decisions cost; both in chances of winning.${found.bound === null ? "" : ` Chances are off by at most ${small(found.bound)}.`}`));
  }

  function graphs() {
    if (!found || !found.rows.length) return null;
    const { rows } = found;
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
    const chance = [[0, found.light_start], ...rows.map((row) => [row.ply, row.light])];
    const marks = rows.filter((row) => graded(row.regret)).map((row) => ({
      x: row.ply, y: row.light, kind: graded(row.regret).name, said: `ply ${row.ply}: ${graded(row.regret).name}, ${row.side} loses ${lost(row.regret)}`,
    }));
    const share = (v) => `${Math.round(100 * v)}\u202f%`;
    return h("section", { class: "card", "aria-labelledby": "h-graph" },
      h("h2", { id: "h-graph" }, "Light\u2019s chance of winning"),
      lineChart({
        label: `Light's chance of winning by ply, from ${percent(found.light_start)} to ${percent(found.light_end)}; rings are inaccuracies, mistakes and blunders`,
        series: [{ name: "half", kind: "half", points: [[0, 0.5], [last, 0.5]] }, { name: "light's chance", kind: "first", points: chance }],
        x: [0, last], y: [0, 1], ticksX, ticksY: [0, 0.25, 0.5, 0.75, 1].map((v) => ({ at: v, text: share(v) })),
        titleX: "ply", at: Math.min(at, last), marks, onPick: go,
      }),
      h("label", { class: "noprint small wide" }, h("span", { class: "nowrap" }, "Ply"), h("input", {
        type: "range", min: 0, max: last + 1, value: at, "data-key": "ply", "aria-valuetext": atEnd() ? "the end" : `ply ${at}`, oninput: slide, onchange: () => go(at),
      }), h("output", {}, atEnd() ? "end" : at)),
      h("h3", {}, "Dice and decisions, added up"),
      lineChart({
        label: `For light, added up: dice ${signed(luck.at(-1)[1])}, decisions ${signed(skill.at(-1)[1])}`,
        series: [
          { name: "no difference", kind: "half", points: [[0, 0], [last, 0]] },
          { name: "dice", kind: "first", points: luck },
          { name: "decisions", kind: "second", points: skill },
        ],
        x: [0, last], y: [-edge, edge], ticksX, ticksY: [-edge, 0, edge].map((v) => ({ at: v, text: signed(v).replace(/\.00/, "") })),
        titleX: "ply", at: Math.min(at, last), height: 190, onPick: go,
      }),
      h("p", { class: "legend" }, h("span", {}, h("span", { class: "line-key", "aria-hidden": "true" }), ` dice ${signed(luck.at(-1)[1])}`), h("span", {}, h("span", { class: "line-key dashed", "aria-hidden": "true" }), ` decisions ${signed(skill.at(-1)[1])}`), h("span", {}, "both for light")));
  }

  function plies() {
    const judged = found?.rows ?? [];
    return h("section", { class: "card", "aria-labelledby": "h-review" },
      h("h2", { class: "unseen", id: "h-review" }, "Review"),
      h("div", { class: "scroll log plies", tabindex: "0", role: "region", "aria-label": "Plies" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Ply"), h("th", { class: "text", scope: "col" }, h("span", { class: "unseen" }, "Side")), h("th", { scope: "col" }, "Roll"), h("th", { class: "text", scope: "col" }, "Move"),
          found ? [h("th", { scope: "col", class: "luck" }, "Luck"), h("th", { scope: "col" }, "Lost"), h("th", { class: "text", scope: "col" }, h("span", { class: "unseen" }, "Grade")), h("th", { scope: "col" }, "Light")] : null)),
        h("tbody", {}, game.rows.map((row, k) => {
          const r = judged[k];
          const grade = r && graded(r.regret);
          return h("tr", { class: row.ply === at ? "here" : null },
            h("td", {}, h("button", { type: "button", "aria-label": `Show ply ${row.ply}`, "aria-pressed": String(row.ply === at), "data-key": `ply-${row.ply}`, onclick: () => go(row.ply) }, row.ply)),
            h("td", { class: "text" }, h("span", { class: `man ${row.side}`, role: "img", "aria-label": row.side })), h("td", {}, row.roll),
            h("td", { class: "text" }, words(row), row.captures ? " \u00d7" : "", row.rosette ? " \u2731" : ""),
            r ? [h("td", { class: "luck" }, signed(r.luck)),
              h("td", {}, r.pass || r.choices < 2 ? "" : r.regret > 0 ? lost(r.regret) : "0"),
              h("td", { class: "text" }, grade ? h("span", { class: `grade ${grade.name}`, role: "img", "aria-label": grade.name, title: grade.name }, grade.sign) : null),
              h("td", {}, percent(r.light, 1))] : null);
        }), game.rows.length ? h("tr", { class: atEnd() ? "here" : null },
          h("td", {}, h("button", { type: "button", "aria-label": "Show the end", "aria-pressed": String(atEnd()), "data-key": "ply-end", onclick: () => go(game.rows.length + 1) }, "end")),
          h("td", { class: "text", colspan: found ? 7 : 3 }, ended())) : null))),
      found ? h("p", { class: "soft small" }, "Loss of winning chance: ", GRADES.toReversed().map(({ name, sign, least }) => `${sign} ${name} from ${percent(least, 0)}`).join(", "), ".") : null,
      h("p", {}, outcome()),
      h("div", { class: "row noprint" }, h("span", { class: "soft" }, "Save as"),
        h("button", { type: "button", "data-key": "x-text", onclick: () => download("game.txt", game.notation, "text/plain") }, "Text"),
        game.rgn ? h("button", { type: "button", "data-key": "x-rgn", onclick: () => download("game.rgn", game.rgn, "text/plain") }, "RGN") : null,
        h("button", { type: "button", "data-key": "x-json", onclick: () => download("review.json", `${JSON.stringify(found ?? game, null, 2)}\n`, "application/json") }, "JSON"),
        found ? h("button", { type: "button", "data-key": "x-svg", onclick: () => app.run(figure) }, "SVG") : null));
  }

  function loader() {
    const kept = memory.get("game");
    const { rules, pieces } = own ?? app.state;
    return h("section", { class: "card noprint", "aria-labelledby": "h-load" },
      h("h2", { id: "h-load" }, game ? "Another game" : "A game to look at"),
      h("form", { onsubmit: (event) => {
        event.preventDefault();
        const form = new FormData(event.target);
        const given = String(form.get("text"));
        if (given.trim()) app.run(() => load(given, chosen(form)));
        else notice("Paste a game, or choose its file");
      } },
      h("p", {}, "In urcx\u2019s notation, or in RGN or JSON of RoyalUr; with these rules where it does not say them:"),
      h("div", { class: "form" },
        h("label", {}, "Rules", h("select", { name: "rules", "data-key": "rules" }, app.catalogue.rules.map((r) => h("option", { value: r.name, selected: r.name === rules }, r.name)))),
        h("label", {}, "Pieces a side", h("input", { type: "number", name: "pieces", min: 1, max: app.catalogue.most_pieces, value: pieces, "data-key": "pieces" }))),
      h("label", { class: "row" }, "File ", h("input", { type: "file", accept: ".txt,.rgn,.urg,.json,text/plain,application/json", "data-key": "file", onchange: (event) => {
        const [file] = event.target.files;
        const form = new FormData(event.target.form);
        if (file) app.run(async () => load(await file.text(), chosen(form)));
      } })),
      h("textarea", { name: "text", "aria-label": "A game in notation", spellcheck: "false", "data-key": "text" }),
      h("div", { class: "row" },
        h("button", { class: "main", type: "submit", "data-key": "load" }, "Review it"),
        kept ? h("button", { type: "button", "data-key": "last", onclick: () => app.run(() => load(kept.notation, null, true)) }, "The game played here") : null)));
  }

  const chosen = (form) => ({ rules: String(form.get("rules")), pieces: Number(form.get("pieces")) });

  async function figure() {
    const { svg } = await api.post("review", { ...asked(), svg: true });
    download("review.svg", svg, "image/svg+xml");
  }

  async function enter() {
    const kept = memory.get("game");
    draw();
    if (kept && (mine || !game) && kept.notation !== text && kept.notation !== game?.notation) await load(kept.notation, null, true);
  }

  /** Let the game that is played here be the one to look at next. */
  function ownGame() {
    mine = true;
  }

  function key(pressed) {
    if (!game) return null;
    if (pressed === "Escape" && trying) return leaveTry;
    const ply = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: game.rows.length + 1 }[pressed];
    return ply === undefined ? null : () => go(ply);
  }

  return { enter, leave: () => clearTimeout(timer), refresh: () => (game && !found ? judge() : enter()), moved: tried, key, ownGame, outcome: () => capital(outcome()) };
}
