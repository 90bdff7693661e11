/** The page for a tablet in public (`urcx explore --kiosk`): it only plays, and begins anew when nobody is there. */

import { h, memory, percent } from "./dom.js";
import { opponents } from "./opponents.js";

const IDLE = 90_000; // milliseconds without a touch or a key
const LEVELS = [0.1, 0.2, 0.3, 0.4, 0.5]; // chances of winning against perfect play that are looked for

/**
 * Make the page one for a tablet in public, if the server says so.
 * @param {object} catalogue
 */
export function kiosk({ kiosk: wanted }) {
  document.body.classList.toggle("kiosk", wanted);
  if (!wanted) return;
  let timer = null;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(anew, IDLE);
  };
  for (const name of ["pointerdown", "pointermove", "keydown"]) document.addEventListener(name, wait);
}

/** Forget the game, and show the page as at first. */
function anew() {
  memory.set("game", null);
  location.replace(location.pathname);
}

/**
 * The opponents to choose from, the weakest first.
 * @param {object} app
 * @returns {{name: string, wins: number|null}[]}
 */
function choices(app) {
  const able = opponents(app).filter((one) => app.known?.state === "known" || !one.needs);
  const graded = able.filter((one) => one.wins !== null);
  const nearest = (wanted) => graded.reduce((best, one) => (Math.abs(one.wins - wanted) < Math.abs(best.wins - wanted) ? one : best), graded[0]);
  const plain = ["random", "greedy", app.catalogue.default_agent, "optimal"];
  return graded.length < LEVELS.length ? able.filter(({ name, wins }) => wins !== null || plain.includes(name)) : [...new Set(LEVELS.map(nearest))];
}

/**
 * What an opponent is called while it plays: its level, as it was chosen.
 * @param {object} app
 * @param {string} agent
 * @returns {string}
 */
export function called(app, agent) {
  const level = app.catalogue.kiosk ? choices(app).findIndex(({ name }) => name === agent) + 1 : 0;
  return level ? `level ${level}` : agent;
}

/**
 * Buttons that begin a game, one for each level.
 * @param {object} app
 * @param {(agent: string) => void} begin
 * @returns {Element}
 */
export function levels(app, begin) {
  return h("section", { class: "card", "aria-labelledby": "h-new" },
    h("h2", { id: "h-new" }, "Play the Royal Game of Ur"),
    h("p", {}, "You are light. Choose an opponent:"),
    h("div", { class: "levels" }, choices(app).map(({ name, wins, near }, k) =>
      h("button", { class: "main", type: "button", "data-key": `level-${k}`, onclick: () => begin(name) },
        h("b", {}, `Level ${k + 1}`), h("small", {}, wins === null ? name : `wins ${near}${percent(wins, 0)} against perfect play`)))));
}
