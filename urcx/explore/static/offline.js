/**
 * The API without a server, for the page that `urcx explore --export` writes: it takes the place of api.js.
 *
 * Here alone the page has rules of its own: those of one path that is alike for both sides and crossed once. Chances are
 * those of a solution with few pieces, or a network's. A game's text is JSON, and only this page reads it.
 */

const data = JSON.parse(document.getElementById("offline").textContent);
const POSITION = /^(-|\d+(?:,\d+)*)\/(-|\d+(?:,\d+)*)\/(\d+)-(\d+)\/([LD])$/;
const OTHER = { light: "dark", dark: "light" };

/** The status of an `ApiError` where nobody answers, which does not happen here. */
export const NO_ANSWER = 0;

/** An answer that says what is wrong, in one line. */
export class ApiError extends Error {
  constructor(message, status = 400, body = null) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

// A file has no addresses of positions.
history.replaceState = () => {};
history.pushState = () => {};

const numbers = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

/** One of the games: its moves, and what positions are worth. */
class Rules {
  constructor({ geometry, values, table, network }) {
    Object.assign(this, { geometry, values, pieces: geometry.pieces, length: geometry.light.length });
    const { rosette_grants_roll: grants } = geometry.effects;
    this.steps = geometry.light.map((name) => {
      const tile = geometry.tiles.find((one) => one.name === name);
      return { ...tile, shared: tile.zone === "shared", grants: tile.rosette && (grants === true || (grants || []).includes(name)) };
    });
    this.open = this.steps.flatMap((tile, k) => (tile.shared && !tile.safe ? [k + 1] : []));
    this.rolls = geometry.dice.rolls;
    if (table) this.#tabulate(numbers(table));
    else this.network = { ...network, ...Object.fromEntries(["first", "firstBias", "second", "secondBias", "last"].map((name) => [name, numbers(network[name])])) };
  }

  /** Number the ways in which a side can stand as Python does: by pieces home, then by the mask of its steps. */
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
    const found = POSITION.exec(text.trim());
    if (!found) throw new ApiError(`${text}: a position is LIGHT/DARK/HOME/TURN, such as 2/3,6/0-0/L`);
    const steps = (part) => (part === "-" ? [] : part.split(",").map(Number).sort((a, b) => a - b));
    const place = { light: steps(found[1]), dark: steps(found[2]), home: { light: Number(found[3]), dark: Number(found[4]) }, turn: found[5] === "L" ? "light" : "dark" };
    for (const side of ["light", "dark"]) {
      const own = place[side];
      if (new Set(own).size < own.length || own.some((s) => s < 1 || s > this.length)) throw new ApiError(`${side}: steps from 1 to ${this.length}, each once`);
      if (own.length + place.home[side] > this.pieces) throw new ApiError(`${side}: more than ${this.pieces} pieces`);
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

  /** The legal moves by a roll, the least advanced piece first. */
  moves(place, roll) {
    const { turn } = place;
    const foe = OTHER[turn];
    const starts = [...(this.pool(place, turn) ? [0] : []), ...place[turn]];
    return (roll ? starts : []).flatMap((start) => {
      const end = start + roll;
      if (end > this.length + 1 || place[turn].includes(end)) return [];
      const tile = this.steps[end - 1]; // none at home
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

  /** The chance that the player to move wins. */
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

  /** How likely the next roll captures on each step where it may. */
  #captures(place) {
    const found = new Map();
    for (const { roll, chance_decimal: chance } of this.rolls) {
      for (const { end, captures } of this.moves(place, roll)) if (captures) found.set(end, (found.get(end) ?? 0) + chance);
    }
    return found;
  }

  /** The moves by a roll with their chances, best first; the pass where there is none. */
  ranked(place, roll) {
    const moves = this.moves(place, roll);
    const found = moves.length ? moves : [{ pass: true, after: this.passed(place) }];
    for (const move of found) {
      const value = this.value(move.after);
      move.value = move.after.turn === place.turn ? value : 1 - value;
    }
    found.sort((a, b) => b.value - a.value);
    return found;
  }

  /** How likely an agent plays each of the moves, which are best first. */
  shares(name, moves) {
    const one = (chosen) => moves.map((move) => (move === chosen ? 1 : 0));
    const last = (among) => among.reduce((found, move) => (move.start > found.start ? move : found));
    if (name === "random") return moves.map(() => 1 / moves.length);
    const [, percent, base] = /^mistakes:(\d+):(.*)$/.exec(name) ?? [];
    if (base) return this.shares(base, moves).map((share) => (percent / moves.length + (100 - percent) * share) / 100);
    if (name !== "greedy") return one(moves[0]);
    const better = [moves.filter((m) => m.captures), moves.filter((m) => m.rosette), moves].find((some) => some.length);
    return one(last(better));
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
    const move = (one, best, plays) => ({
      pass: Boolean(one.pass), from: one.start ?? null, to: one.end ?? null, from_tile: way[one.start - 1] ?? null, to_tile: way[one.end - 1] ?? null,
      captures: Boolean(one.captures), rosette: Boolean(one.rosette), rolls_again: Boolean(one.again), words: this.words(one, turn),
      position: this.text(one.after), value: one.value, regret: best - one.value, best: one.value === best, plays,
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
          moves: moves.map((one, k) => move(one, moves[0].value, Object.fromEntries(shares.map(([name, share]) => [name, share[k] === 1 || share[k] === 0 ? String(share[k]) : `1/${moves.length}`])))),
        };
      }),
    };
  }
}

const games = new Map();

function rulesOf({ rules, pieces }) {
  const first = data.catalogue.default;
  const key = String(pieces ?? first.pieces);
  if ((rules ?? first.rules) !== first.rules || !data.games[key]) throw new ApiError(`this page has ${Object.keys(data.games).join(" and ")} pieces; urcx explore has all`);
  if (!games.has(key)) games.set(key, new Rules(data.games[key]));
  return games.get(key);
}

/**
 * Answer what the server answers to GET.
 * @param {string} name
 * @param {object} [asked]
 * @returns {Promise<object>}
 */
export async function get(name, asked = {}) {
  if (name === "catalogue") return data.catalogue;
  const rules = rulesOf(asked);
  if (name === "board") return rules.geometry;
  if (name === "values") return { rules: rules.geometry.rules, pieces: rules.pieces, ...rules.values };
  if (name === "view") return rules.view(rules.parse(asked.position ?? "-/-/0-0/L"), (asked.agents || "").split(",").filter(Boolean));
  if (name === "check") {
    try {
      return { ok: true, position: rules.text(rules.parse(asked.position)), error: null };
    } catch (error) {
      return { ok: false, position: null, error: error.message };
    }
  }
  throw new ApiError("this page has no server; urcx explore has one");
}

/**
 * Answer what the server answers to POST, of a game.
 * @param {string} name
 * @param {object} asked
 * @returns {Promise<object>}
 */
export async function post(name, asked) {
  if (name !== "game") throw new ApiError("this page has no server; urcx explore has one");
  const game = asked.text ? JSON.parse(asked.text) : { start: "-/-/0-0/L", plies: [], undone: [], roll: null, ...asked.new, ...(asked.new.position ? { start: asked.new.position } : {}) };
  const rules = rulesOf(game);
  const before = game.plies.length;
  for (const [[does, what]] of (asked.do ?? []).map(Object.entries)) act(rules, game, does, what);
  const place = standing(rules, game);
  const rows = game.plies.map((ply, k) => ({ ...ply, ply: k + 1 }));
  return {
    rules: game.rules, pieces: game.pieces, start: game.start, light: game.light, dark: game.dark, roll: game.roll, position: rules.text(place), result: rules.winner(place) ?? "unfinished",
    notation: JSON.stringify(game), rgn: null, undone: game.undone.map((ply) => String(ply.roll)), board: null, rows, played: rows.slice(before), view: rules.view(place, asked.agents ?? []),
  };
}

const standing = (rules, game) => rules.parse(game.plies.at(-1)?.position ?? game.start);

function act(rules, game, does, what) {
  const place = standing(rules, game);
  if (does === "undo") {
    game.undone.push(...game.plies.splice(game.plies.length - what).reverse());
    game.roll = game.undone.at(-1).roll;
  } else if (does === "redo") {
    game.plies.push(game.undone.pop());
    game.roll = null;
  } else if (does === "throw") game.roll = thrown(rules);
  else {
    game.roll ??= thrown(rules);
    const moves = rules.ranked(place, game.roll);
    const chosen = does === "play" ? moves.find((m) => `${m.start}-${m.end}` === what) : does === "answer" && !moves[0].pass ? drawn(moves, rules.shares(what, moves)) : moves[0];
    if (!chosen || (does === "pass" && !chosen.pass)) throw new ApiError(`${what}: this is no legal move`);
    game.plies.push({
      side: place.turn, roll: game.roll, pass: Boolean(chosen.pass), from: chosen.start ?? null, to: chosen.end ?? null, captures: Boolean(chosen.captures), rosette: Boolean(chosen.rosette),
      position: rules.text(chosen.after), choices: moves[0].pass ? 0 : moves.length, regret: moves[0].value - chosen.value, best_from: moves[0].start ?? null, best_to: moves[0].end ?? null,
    });
    game.roll = null;
    game.undone = [];
  }
}

function drawn(among, shares) {
  let left = Math.random();
  return among.find((_, k) => (left -= shares[k]) < 0) ?? among.at(-1);
}

const thrown = (rules) => drawn(rules.rolls, rules.rolls.map((one) => one.chance_decimal)).roll;

export const drawing = () => "";
export const text = () => Promise.reject(new ApiError("this page has no server; urcx explore has one"));
