/**
 * The API without a server, for the page that `urcx explore --export` writes. It replaces api.js.
 *
 * Only this script contains rules, and only for a path that is the same for both sides and crosses no tile twice. Win
 * probabilities come from a solution with few pieces, or from a network. The text of a game is JSON that only this page
 * reads.
 */

import { ApiError } from "./errors.js";

const data = JSON.parse(document.getElementById("offline").textContent);
const POSITION = /^(-|\d+(?:,\d+)*)\/(-|\d+(?:,\d+)*)\/(\d+)-(\d+)\/([LD])$/;
const OTHER = { light: "dark", dark: "light" };
const NO_SERVER = "this file cannot do that, but urcx explore can";

// The address of a file cannot contain a position.
history.replaceState = () => {};
history.pushState = () => {};

const numbers = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

/** One of the games: its moves, and the values of its positions. */
class Rules {
  constructor({ geometry, values, table, network }) {
    Object.assign(this, { geometry, values, pieces: geometry.pieces, length: geometry.light.length });
    const { rosette_grants_roll: grants } = geometry.effects;
    this.steps = geometry.light.map((name) => {
      const tile = geometry.tiles.find((entry) => entry.name === name);
      return { ...tile, shared: tile.zone === "shared", grants: tile.rosette && (grants === true || (grants || []).includes(name)) };
    });
    this.open = this.steps.flatMap((tile, k) => (tile.shared && !tile.safe ? [k + 1] : []));
    this.rolls = geometry.dice.rolls;
    if (table) this.#tabulate(numbers(table));
    else this.network = { ...network, ...Object.fromEntries(["first", "firstBias", "second", "secondBias", "last"].map((name) => [name, numbers(network[name])])) };
  }

  /** Number the arrangements of a side in the same order as Python: by pieces home, then by the mask of its steps. */
  #tabulate(table) {
    this.table = table;
    this.number = new Map();
    for (let home = 0; home < this.pieces; home += 1) {
      for (let mask = 0; mask < 2 ** this.length; mask += 1) {
        let count = 0;
        for (let rest = mask; rest; rest &= rest - 1) count += 1;
        if (count <= this.pieces - home) this.number.set(home * 2 ** this.length + mask, this.number.size);
      }
    }
  }

  parse(text) {
    const match = POSITION.exec(text.trim());
    if (!match) throw new ApiError(`position ${text}: must be LIGHT/DARK/HOME/TURN, such as 2/3,6/0-0/L`);
    const steps = (part) => (part === "-" ? [] : part.split(",").map(Number).sort((a, b) => a - b));
    const place = { light: steps(match[1]), dark: steps(match[2]), home: { light: Number(match[3]), dark: Number(match[4]) }, turn: match[5] === "L" ? "light" : "dark" };
    for (const side of ["light", "dark"]) {
      const pieces = place[side];
      if (new Set(pieces).size < pieces.length || pieces.some((s) => s < 1 || s > this.length)) throw new ApiError(`${side}: steps must be from 1 to ${this.length}, each once`);
      if (pieces.length + place.home[side] > this.pieces) throw new ApiError(`${side}: must have at most ${this.pieces} pieces`);
    }
    const both = place.light.find((s) => this.steps[s - 1].shared && place.dark.includes(s));
    if (both) throw new ApiError(`dark: both players are on tile ${this.geometry.light[both - 1]}`);
    if (place.home.light === this.pieces && place.home.dark === this.pieces) throw new ApiError("home: all pieces of both players are home");
    return place;
  }

  text({ light, dark, home, turn }) {
    const part = (steps) => [...steps].sort((a, b) => a - b).join(",") || "-";
    return `${part(light)}/${part(dark)}/${home.light}-${home.dark}/${turn === "light" ? "L" : "D"}`;
  }

  winner({ home }) {
    return ["light", "dark"].find((side) => home[side] === this.pieces) ?? null;
  }

  pool(place, side) {
    return this.pieces - place[side].length - place.home[side];
  }

  /** Return the legal moves for a roll, the least advanced piece first. */
  moves(place, roll) {
    const { turn } = place;
    const foe = OTHER[turn];
    const starts = [...(this.pool(place, turn) ? [0] : []), ...place[turn]];
    return (roll ? starts : []).flatMap((start) => {
      const end = start + roll;
      if (end > this.length + 1 || place[turn].includes(end)) return [];
      const tile = this.steps[end - 1]; // undefined at home
      const captures = Boolean(tile?.shared && place[foe].includes(end));
      if (captures && tile.safe) return [];
      const again = Boolean(tile?.grants || (captures && this.geometry.effects.capture_grants_roll));
      const after = {
        [turn]: [...place[turn].filter((s) => s !== start), ...(tile ? [end] : [])].sort((a, b) => a - b),
        [foe]: place[foe].filter((s) => !captures || s !== end),
        home: { ...place.home, [turn]: place.home[turn] + (tile ? 0 : 1) },
        turn: again ? turn : foe,
      };
      return [{ start, end, captures, rosette: Boolean(tile?.rosette), again, after }];
    });
  }

  passed(place) {
    return { ...place, turn: OTHER[place.turn] };
  }

  /** Return the win probability of the player to move. */
  value(place) {
    const won = this.winner(place);
    if (won) return won === place.turn ? 1 : 0;
    const [own, other] = [place.turn, OTHER[place.turn]];
    if (!this.table) return this.#byNetwork(place, own, other);
    const at = (side) => this.number.get(place.home[side] * 2 ** this.length + place[side].reduce((mask, s) => mask | (1 << (s - 1)), 0));
    return this.table[at(own) * this.number.size + at(other)];
  }

  #byNetwork(place, own, other) {
    const { first, firstBias, second, secondBias, last, lastBias, squared } = this.network;
    const units = firstBias.length;
    const sums = Float64Array.from(firstBias);
    const add = (input, weight = 1) => {
      for (let unit = 0; unit < units; unit += 1) sums[unit] += weight * first[input * units + unit];
    };
    for (const [k, side] of [own, other].entries()) {
      for (const step of place[side]) add(k * this.length + step - 1);
      add(2 * this.length + k * (this.pieces + 1) + place.home[side]);
      add(2 * this.length + (2 + k) * (this.pieces + 1) + this.pool(place, side));
    }
    const ahead = 2 * this.length + 4 * (this.pieces + 1);
    for (const [k, side] of [other, own].entries()) {
      for (const [step, chance] of this.#captures({ ...place, turn: side })) add(ahead + k * this.open.length + this.open.indexOf(step), chance);
    }
    const active = (x) => (squared ? Math.min(Math.max(x, 0), 1) ** 2 : Math.min(Math.max(x, 0), 1));
    let layer = Array.from(sums, active);
    if (secondBias.length) layer = Array.from(secondBias, (bias, k) => active(layer.reduce((sum, x, unit) => sum + x * second[unit * secondBias.length + k], bias)));
    return (1 + Math.tanh(layer.reduce((sum, x, unit) => sum + x * last[unit], lastBias) / 2)) / 2;
  }

  /** Return the probability that the next roll captures on each step, for the steps with captures. */
  #captures(place) {
    const probabilities = new Map();
    for (const { roll, chance_decimal: chance } of this.rolls) {
      for (const { end, captures } of this.moves(place, roll)) if (captures) probabilities.set(end, (probabilities.get(end) ?? 0) + chance);
    }
    return probabilities;
  }

  /** Return the moves for a roll with their values, best first, or the pass. */
  ranked(place, roll) {
    const legal = this.moves(place, roll);
    const moves = legal.length ? legal : [{ pass: true, after: this.passed(place) }];
    for (const move of moves) {
      const value = this.value(move.after);
      move.value = move.after.turn === place.turn ? value : 1 - value;
    }
    moves.sort((a, b) => b.value - a.value);
    return moves;
  }

  /** Return the probability that an agent plays each of the moves, which are best first. */
  shares(name, moves) {
    const only = (choice) => moves.map((move) => (move === choice ? 1 : 0));
    const last = (candidates) => candidates.reduce((latest, move) => (move.start > latest.start ? move : latest));
    if (name === "random") return moves.map(() => 1 / moves.length);
    const [, percent, base] = /^mistakes:(\d+):(.*)$/.exec(name) ?? [];
    if (base) return this.shares(base, moves).map((share) => (percent / moves.length + (100 - percent) * share) / 100);
    if (name !== "greedy") return only(moves[0]);
    const better = [moves.filter((m) => m.captures), moves.filter((m) => m.rosette), moves].find((some) => some.length);
    return only(last(better));
  }

  words({ pass, start, end, captures, rosette, again }, side) {
    if (pass) return "pass";
    const way = this.geometry[side];
    const extras = [captures && "captures", rosette && "rosette", again && "rolls again"].filter(Boolean);
    return [`${start ? way[start - 1] : "start"} to ${way[end - 1] ?? "home"}`, ...extras].join(", ");
  }

  view(place, agents = []) {
    const { turn } = place;
    const won = this.winner(place);
    const value = this.value(place);
    const way = this.geometry[turn];
    const { bound } = this.values;
    const entry = (move, best, plays) => ({
      pass: Boolean(move.pass), from: move.start ?? null, to: move.end ?? null, from_tile: way[move.start - 1] ?? null, to_tile: way[move.end - 1] ?? null,
      captures: Boolean(move.captures), rosette: Boolean(move.rosette), rolls_again: Boolean(move.again), words: this.words(move, turn),
      position: this.text(move.after), value: move.value, regret: best - move.value, best: move.value === best, plays,
    });
    return {
      rules: this.geometry.rules, pieces: this.pieces, position: this.text(place), to_move: turn, winner: won, ranks: {}, values: this.values,
      value, lower: bound === null ? null : Math.max(0, value - bound), upper: bound === null ? null : Math.min(1, value + bound),
      light_value: turn === "light" ? value : 1 - value,
      agents: agents.map((name) => ({ name, state: "ready", message: null })),
      rolls: won ? [] : this.rolls.map(({ roll, chance, chance_decimal }) => {
        const moves = this.ranked(place, roll);
        const shares = agents.map((name) => [name, moves[0].pass ? [0] : this.shares(name, moves)]);
        return {
          roll, chance, chance_decimal, value: moves[0].value,
          moves: moves.map((move, k) => entry(move, moves[0].value, Object.fromEntries(shares.map(([name, share]) => [name, share[k] === 1 || share[k] === 0 ? String(share[k]) : `1/${moves.length}`])))),
        };
      }),
    };
  }
}

const games = new Map();

function rulesOf({ rules, pieces }) {
  const first = data.catalogue.default;
  const key = String(pieces ?? first.pieces);
  if ((rules ?? first.rules) !== first.rules || !data.games[key]) throw new ApiError(`pieces ${key}: must be ${Object.keys(data.games).join(" or ")} in this file; urcx explore has all`);
  if (!games.has(key)) games.set(key, new Rules(data.games[key]));
  return games.get(key);
}

/**
 * Answer a GET request as the server does.
 * @param {string} name
 * @param {object} [request]
 * @returns {Promise<object>}
 */
export async function get(name, request = {}) {
  if (name === "catalogue") return data.catalogue;
  const rules = rulesOf(request);
  if (name === "board") return rules.geometry;
  if (name === "values") return { rules: rules.geometry.rules, pieces: rules.pieces, ...rules.values };
  if (name === "view") return rules.view(rules.parse(request.position ?? "-/-/0-0/L"), (request.agents || "").split(",").filter(Boolean));
  if (name === "check") {
    try {
      return { ok: true, position: rules.text(rules.parse(request.position)), error: null };
    } catch (error) {
      return { ok: false, position: null, error: error.message };
    }
  }
  throw new ApiError(NO_SERVER);
}

/**
 * Answer a POST request for a game as the server does.
 * @param {string} name
 * @param {object} request
 * @returns {Promise<object>}
 */
export async function post(name, request) {
  if (name !== "game") throw new ApiError(NO_SERVER);
  const game = request.text ? JSON.parse(request.text) : { start: "-/-/0-0/L", plies: [], undone: [], roll: null, ...request.new, ...(request.new.position ? { start: request.new.position } : {}) };
  const rules = rulesOf(game);
  const before = game.plies.length;
  for (const [[action, value]] of (request.do ?? []).map(Object.entries)) act(rules, game, action, value);
  const place = current(rules, game);
  const rows = game.plies.map((ply, k) => ({ ...ply, ply: k + 1 }));
  return {
    rules: game.rules, pieces: game.pieces, start: game.start, light: game.light, dark: game.dark, roll: game.roll, position: rules.text(place), result: rules.winner(place) ?? "unfinished",
    notation: JSON.stringify(game), rgn: null, undone: game.undone.map((ply) => String(ply.roll)), board: null, rows, played: rows.slice(before), view: rules.view(place, request.agents ?? []),
  };
}

const current = (rules, game) => rules.parse(game.plies.at(-1)?.position ?? game.start);

function act(rules, game, action, value) {
  const place = current(rules, game);
  if (action === "undo") {
    game.undone.push(...game.plies.splice(game.plies.length - value).reverse());
    game.roll = game.undone.at(-1).roll;
  } else if (action === "redo") {
    game.plies.push(game.undone.pop());
    game.roll = null;
  } else if (action === "throw") game.roll = throwDice(rules);
  else {
    game.roll ??= throwDice(rules);
    const moves = rules.ranked(place, game.roll);
    const chosen = action === "play" ? moves.find((m) => `${m.start}-${m.end}` === value) : action === "answer" && !moves[0].pass ? draw(moves, rules.shares(value, moves)) : moves[0];
    if (!chosen || (action === "pass" && !chosen.pass)) throw new ApiError(`${action} ${value}: not a legal move`);
    game.plies.push({
      side: place.turn, roll: game.roll, pass: Boolean(chosen.pass), from: chosen.start ?? null, to: chosen.end ?? null, captures: Boolean(chosen.captures), rosette: Boolean(chosen.rosette),
      position: rules.text(chosen.after), choices: moves[0].pass ? 0 : moves.length, regret: moves[0].value - chosen.value, best_from: moves[0].start ?? null, best_to: moves[0].end ?? null,
    });
    game.roll = null;
    game.undone = [];
  }
}

/** Draw an entry at random, with the probabilities in `shares`. */
function draw(entries, shares) {
  let left = Math.random();
  return entries.find((_, k) => (left -= shares[k]) < 0) ?? entries.at(-1);
}

const throwDice = (rules) => draw(rules.rolls, rules.rolls.map((roll) => roll.chance_decimal)).roll;

export const drawing = () => "";
export const text = () => Promise.reject(new ApiError(NO_SERVER));
