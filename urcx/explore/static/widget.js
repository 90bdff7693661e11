/**
 * The board in a notebook: draws what Python says, and tells Python what was chosen.
 *
 * Loaded by anywidget, as one script together with board.js. Nothing here knows a rule: which moves
 * there are, what they lead to and what they are worth comes in two traits of the model, `_board`
 * for the rule set and `_state` for the position; urcx/explore/board_widget.py says what is in them.
 */

import { createBoard } from "./board.js";

const SHOWN = ["_board", "_state"];

/** Make an element with attributes, handlers (on...) and children. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Whether the text around is light, as it is on dark pages: notebooks have themes of their own. */
function isDark(place) {
  const [r, g, b] = (getComputedStyle(place).color.match(/[\d.]+/g) ?? [0, 0, 0]).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b > 128;
}

function render({ model, el }) {
  const ask = (message) => model.send(message);
  const root = element("div", { class: "urcx-widget" });
  const said = element("p", { class: "said", "aria-live": "polite" });
  const place = element("div", { class: "place" });
  const rolls = element("div", { class: "row", role: "group", "aria-label": "Roll" });
  const tools = element("div", { class: "row" });
  const moves = element("ol", { class: "moves" });
  const notice = element("p", { class: "notice", role: "status" });
  const setup = element("input", { type: "checkbox", onchange: () => draw() });
  root.append(said, place, rolls, tools, notice, moves);
  el.append(root);

  const button = (text, does, attributes = {}) =>
    element("button", { type: "button", onclick: does, ...attributes }, text);
  const steps = (move) => `${move.from}-${move.to}`;
  const play = (move) => ask({ do: "play", move: steps(move) });

  let known = null; // the rule set that the board was drawn for
  let board = null;

  /** Put buttons in the place of others, and the focus where it was. */
  function refill(parent, made) {
    const held = [...parent.children].indexOf(document.activeElement);
    parent.replaceChildren(...made);
    const next = parent.children[held];
    if (next && !next.disabled) next.focus();
  }

  function draw() {
    const rules = model.get("_board");
    const state = model.get("_state");
    const placing = setup.checked;
    const shown = {
      position: state.position,
      mode: placing ? "setup" : state.moves.length ? "move" : "view",
      moves: state.moves,
      arrows: placing ? [] : state.moves.map((move, k) => ({
        from: move.from, to: move.to, side: state.turn, rank: k + 1, best: move.best,
      })),
      theme: isDark(el) ? "dark" : "light",
      label: `${rules.title}: ${state.said}`,
    };
    if (known !== rules) Object.assign(shown, { geometry: rules, pieces: rules.pieces });
    known = rules;
    if (board) board.update(shown);
    else board = createBoard(place, { ...shown, ...heard });
    said.textContent = state.said;
    notice.textContent = state.notice;
    refill(rolls, [
      ...rules.dice.rolls.map(({ roll, chance }) =>
        button(`${roll}`, () => ask({ do: "roll", roll }), {
          disabled: state.over || placing,
          "aria-pressed": String(roll === state.roll),
          title: `roll ${roll}, chance ${chance}`,
        })),
      button("Roll the dice", () => ask({ do: "throw" }), { disabled: state.over || placing }),
    ]);
    const [notation, turn] = [state.position.slice(0, -1), state.position.slice(-1)];
    refill(tools, [
      button("pass", () => ask({ do: "pass" }), { disabled: !state.pass || placing }),
      button("undo", () => ask({ do: "undo" }), { disabled: !state.undo }),
      button("redo", () => ask({ do: "redo" }), { disabled: !state.redo }),
      choice,
      button("other side's turn", () => ask({
        do: "setup", position: `${notation}${turn === "L" ? "D" : "L"}`,
      }), { disabled: !placing || state.over }),
    ]);
    refill(moves, placing ? [] : state.moves.map((move) =>
      element("li", { class: move.best ? "best" : null },
        button(move.words, () => play(move)), move.worth ? ` ${move.worth}` : "")));
    if (!placing && state.pass) moves.append(element("li", { class: "none" }, "no legal move: pass"));
  }

  const choice = element("label", {}, setup, " set up");
  const heard = {
    onMove: play,
    onChange: (position) => ask({ do: "setup", position }),
    onNotice: (text) => { notice.textContent = text; },
  };

  draw();
  for (const name of SHOWN) model.on(`change:${name}`, draw);
  model.on("msg:custom", draw); // a position that was refused is drawn anew
  const themes = new MutationObserver(() => board.update({ theme: isDark(el) ? "dark" : "light" }));
  for (const watched of [document.documentElement, document.body]) {
    themes.observe(watched, { attributes: true });
  }
  return () => {
    for (const name of SHOWN) model.off(`change:${name}`, draw);
    model.off("msg:custom", draw);
    themes.disconnect();
    board.destroy();
    root.remove();
  };
}

export default { render };
