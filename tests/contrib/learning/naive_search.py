"""A slow tree search over dice, from its definition: objects for nodes, positions by the rules."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import naive
import numpy as np
from naive_network import inputs, last_units, seen

from urcx.agents.networks import Network
from urcx.rules.model import RuleSet
from urcx.rules.position import Position

GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio


def outputs(network: Network, rows: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Values in [-1, 1], and the logits of all moves of all rolls, in double precision."""
    hidden = last_units(network, rows, squared=network.activation == "squared")
    assert network.policy is not None
    assert network.policy_bias is not None
    chance = 1 / (1 + np.exp(-(hidden @ network.last + network.last_bias)))
    return 2 * chance - 1, hidden @ network.policy + network.policy_bias


def mix(z: int) -> int:
    """The output of SplitMix64."""
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & naive.MASK_64
    z = (z ^ z >> 27) * 0x94D049BB133111EB & naive.MASK_64
    return z ^ z >> 31


@dataclass
class Edge:
    start: int  # -1 for a pass
    prior: float
    after: Position
    visits: int = 0
    total: float = 0.0
    node: Node | None = None


@dataclass
class Node:
    position: Position
    value: float
    logits: Any
    phase: int
    edges: dict[int, list[Edge]] = field(default_factory=dict)


class Search:
    """A search with a network, and its tree."""

    def __init__(self, network: Network, rules: RuleSet, explore: float) -> None:
        self.network, self.rules, self.explore = network, rules, explore
        self.dice = [k for k, p in enumerate(rules.dice.probabilities) for _ in range(int(p * 16))]

    def node(self, position: Position) -> Node:
        value, logits = outputs(self.network, inputs(position, self.rules)[None, :])
        at = seen(position)
        own, other = (sum(1 << (step - 1) for step in steps) for steps in (at.light, at.dark))
        own_home, other_home = at.home
        hashed = mix((own * GOLDEN + other) & naive.MASK_64)
        phase = mix((hashed + 64 * own_home + other_home) & naive.MASK_64)
        return Node(position, float(value[0]), logits[0], phase)

    def edges(self, node: Node, roll: int) -> list[Edge]:
        if roll not in node.edges:
            moves = naive.moves(node.position, roll, self.rules)
            row = (roll - 1) * (self.rules.path.length + 1)
            weights = [math.exp(node.logits[row + start]) for start, _, _ in moves]
            node.edges[roll] = [
                Edge(start, weight / sum(weights), after)
                for (start, _, after), weight in zip(moves, weights, strict=True)
            ] or [Edge(-1, 1.0, naive.passed(node.position))]
        return node.edges[roll]

    def roll(self, node: Node) -> int:
        slot = (node.phase >> 32) * len(self.dice) >> 32
        node.phase = (node.phase + GOLDEN) & naive.MASK_64
        return self.rules.dice.rolls[self.dice[slot]]

    def bound(self, node: Node, edge: Edge, visits: int) -> float:
        mean = edge.total / edge.visits if edge.visits else node.value
        return mean + self.explore * edge.prior * math.sqrt(max(visits, 1)) / (1 + edge.visits)

    def descend(self, node: Node, roll: int) -> float:
        """Run a simulation from a roll of a node; return its value to the player to move."""
        edges = self.edges(node, roll)
        visits = sum(edge.visits for edge in edges)
        edge = max(edges, key=lambda each: self.bound(node, each, visits))
        light = node.position.light_to_move
        if edge.after.home[0 if light else 1] == self.rules.pieces:
            value = 1.0
        else:
            if edge.node is None:
                edge.node = self.node(edge.after)
                found = edge.node.value
            else:
                found = self.descend(edge.node, self.roll(edge.node))
            value = found if edge.after.light_to_move == light else -found
        edge.visits += 1
        edge.total += value
        return value
