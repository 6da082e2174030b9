"""Decision trees, and the operation h (+) (g, leaf) that grows them.

Notation:
    h           tree                    leaf    named by its path from the root, a tuple of 0 and 1
    h (+) (g, leaf)     h in which a leaf is replaced by split g
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from privboost.errors import PreconditionError
from privboost.reference.data import Observation, Split

Path: TypeAlias = tuple[int, ...]
ROOT: Path = ()


@dataclass(frozen=True, slots=True)
class Tree:
    """A binary decision tree, as the splits of its internal nodes by path.

    Paper: sec:def (decision trees).
    """

    nodes: tuple[tuple[Path, Split], ...] = ()

    def __post_init__(self) -> None:
        paths = {path for path, _ in self.nodes}
        for path in paths:
            if path and path[:-1] not in paths:
                raise PreconditionError("sec:def", "a split at every node above a split", path)

    @property
    def splits(self) -> dict[Path, Split]:
        """Return the splits of the internal nodes by path."""
        return dict(self.nodes)

    def leaves(self) -> Iterator[Path]:
        """Yield the paths of the leaves, left to right."""
        inner = self.splits
        pending = [ROOT]
        while pending:
            path = pending.pop()
            if path in inner:
                pending += [(*path, 1), (*path, 0)]
            else:
                yield path

    def leaf_of(self, x: Observation) -> Path:
        """Return the leaf that an observation reaches.

        Paper: defLOSSGENPROB (the leaf reached by x).
        """
        inner = self.splits
        path = ROOT
        while path in inner:
            path = (*path, inner[path](x))
        return path

    def grow(self, leaf: Path, split: Split) -> Tree:
        """Return h (+) (g, leaf): this tree with a leaf replaced by a split.

        Paper: expSPLIT.
        """
        if leaf not in set(self.leaves()):
            raise PreconditionError("expSPLIT", "a leaf of the tree", leaf)
        return Tree(tuple(sorted((*self.nodes, (leaf, split)), key=lambda node: (len(node[0]), node[0]))))

    def depth(self) -> int:
        """Return the depth of the tree; a single leaf has depth 0."""
        return max(len(path) for path in self.leaves())

    def __str__(self) -> str:
        if not self.nodes:
            return "leaf"
        return ", ".join(f"{''.join(map(str, path)) or 'root'}: {split}" for path, split in self.nodes)


def classifier(tree: Tree, values: Mapping[Path, object]) -> Callable[[Observation], object]:
    """Return x -> value of the leaf that x reaches.

    Paper: predDT.
    """
    return lambda x: values[tree.leaf_of(x)]


def level_of(leaf: Path) -> int:
    """Return the depth of a node, 0 at the root.

    Paper: fixEPSILON.
    """
    return len(leaf)


def next_leaf(tree: Tree, depth: int) -> Path | None:
    """Return the leaf that is split next, or None once every leaf is at `depth`.

    Leaves are split level by level, and left to right within a level.

    Paper: sub-sec-gen (all leaves of a private tree are at the same depth).
    """
    open_leaves = [leaf for leaf in tree.leaves() if level_of(leaf) < depth]
    return min(open_leaves, key=lambda leaf: (len(leaf), leaf)) if open_leaves else None
