/** The introduction of a first visit: a piece walks its path, under captions with the rules. */

import { createBoard } from "./board.js";
import { h, memory, numberWord } from "./dom.js";
import { diceMarks } from "./values.js";

const STEP = 420; // milliseconds from a tile to the next
const PAUSE = 900; // before the first step

/**
 * Show the introduction until it is closed.
 * @param {object} app
 * @returns {Promise<boolean>} whether the visitor wants to play
 */
export function introduction(app) {
  memory.set("seen", true);
  const { geometry } = app;
  const way = geometry.light;
  const free = geometry.effects.captures_blocked ? [] : way.flatMap((name, k) =>
    (geometry.dark.includes(name) && !geometry.tiles.find((tile) => tile.name === name).safe ? [k + 1] : []));
  const enemy = free[Math.floor(free.length / 2)] ?? null; // the step where the piece lands on an enemy
  const rosette = way.findLastIndex((name) => geometry.tiles.find((tile) => tile.name === name).rosette) + 1;
  const dice = diceMarks(geometry.dice.rolls, null);
  const captions = [
    [0, `Race ${numberWord(geometry.pieces)} ${geometry.pieces === 1 ? "piece" : "pieces"} home.`],
    [Math.min(4, way.length), dice ? `Throw ${numberWord(dice.length)} dice: marked corners count.` : "Throw the dice, and move one piece."],
    ...(enemy ? [[enemy, "Land on an enemy, and he begins again."]] : []),
    ...(rosette && geometry.effects.rosette_grants_roll ? [[rosette, "A rosette throws again."]] : []),
  ].map(([step, text]) => ({ step, item: h("li", {}, text) }));

  const place = h("div", { class: "intro-board" });
  const dialog = h("dialog", { class: "intro", "aria-labelledby": "intro-title" },
    h("h2", { id: "intro-title" }, "The Royal Game of Ur", h("span", {}, "4,500 years old")),
    place,
    h("ol", { class: "captions" }, captions.map(({ item }) => item)),
    h("form", { class: "row", method: "dialog" },
      h("button", { class: "main", value: "play", autofocus: true }, "Play"),
      h("button", { class: "plain", value: "" }, "Look around first")));
  document.body.append(dialog);
  const last = way.length + 1; // home
  const turned = geometry.dark.indexOf(way[enemy - 1]) + 1;
  // On its way the piece counts as on the board, so that the start pool has the others.
  const position = (steps) => (steps >= last ? "-/-/1-0/L" : `${steps ? 1 : "-"}/${enemy && steps < enemy ? turned : "-"}/0-0/L`);
  const board = createBoard(place, { geometry, pieces: geometry.pieces, position: position(0), paths: ["light"], label: "The board: a light piece walks its path from the start to its home" });
  dialog.showModal();

  const start = board.pieces.findLast((piece) => piece.side === "light");
  let walker = start;
  const corners = [...place.querySelector(".way").points].map(({ x, y }) => [x, y]); // before step 1, all steps, home
  const lengths = [0];
  corners.slice(1).forEach(([x, y], k) => lengths.push(lengths[k] + Math.hypot(x - corners[k][0], y - corners[k][1])));
  const show = (steps) => {
    const k = Math.min(Math.floor(steps), last - 1);
    const between = ([from, to]) => from + (to - from) * (steps - k);
    for (const { step, item } of captions) item.classList.toggle("on", steps >= step);
    dialog.classList.toggle("done", steps >= last);
    if (board.position !== position(steps)) {
      board.update({ position: position(steps) });
      walker = board.pieces.find((piece) => piece.side === "light" && piece.step === 1) ?? walker;
    }
    walker.element.style.transition = steps < last ? "none" : "";
    const line = place.querySelector(".way");
    line.style.strokeDasharray = lengths[last];
    line.style.strokeDashoffset = lengths[last] - between([lengths[k], lengths[k + 1]]);
    if (steps >= last) return;
    const from = k ? corners[k] : [start.x, start.y];
    walker.element.style.transform = `translate(${[0, 1].map((axis) => `${between([from[axis], corners[k + 1][axis]])}px`)})`;
    walker.element.parentNode.append(walker.element);
  };
  let frame = 0;
  const begun = performance.now() + PAUSE;
  function walk(now) {
    const steps = Math.max(0, (now - begun) / STEP);
    show(Math.min(last, Math.floor(steps) + Math.min(1, 1.6 * (steps % 1)))); // the piece rests on each tile
    if (steps < last) frame = requestAnimationFrame(walk);
  }
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) show(last);
  else walk(performance.now());
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      cancelAnimationFrame(frame);
      board.destroy();
      dialog.remove();
      resolve(dialog.returnValue === "play");
    });
  });
}
