"""What files of shapes say, as plain data: no RDF library is needed to know it, and it can be kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

VOCABULARY = "vocabulary"  # the stem of the file that says what the terms are


@dataclass(frozen=True, slots=True)
class Shape:
    """What a finding needs to know of the shape that it comes from.

    `file` is the stem of its file's name; `constrains` whether it can reject something by itself, as one that only says
    where others look can't.
    """

    iri: str
    file: str
    path: str
    name: str
    order: float
    message: str
    because: str
    shows: tuple[str, ...]
    mentions: tuple[str, ...]
    description: str
    remedy: str
    constrains: bool


@dataclass(frozen=True, slots=True)
class Said:
    """What is read out of files of shapes.

    Args:
        shapes: each shape, by IRI.
        order: the least order of each file's targeted shapes, by the stem of its name.
        targets: what each file's shapes target, as (kind of target, term) pairs.
        labels: the label of each term of the vocabulary, by local name.
        comments: what the vocabulary says of each, by local name.
    """

    shapes: dict[str, Shape]
    order: dict[str, float]
    targets: dict[str, tuple[tuple[str, str], ...]]
    labels: dict[str, str]
    comments: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return it as `of_json` takes it."""
        return {
            "shapes": [asdict(shape) for shape in self.shapes.values()], "order": self.order, "targets": self.targets,
            "labels": self.labels, "comments": self.comments,
        }  # fmt: skip

    @classmethod
    def of_json(cls, found: Any) -> Said:
        """Return what `to_json` wrote.

        Raises:
            TypeError, ValueError, LookupError or AttributeError: it didn't write this.
        """
        shapes = [
            Shape(**each | {name: tuple(each[name]) for name in ("shows", "mentions")}) for each in found["shapes"]
        ]
        return cls(
            {shape.iri: shape for shape in shapes},
            dict(found["order"]),
            {file: tuple((kind, wanted) for kind, wanted in pairs) for file, pairs in found["targets"].items()},
            dict(found["labels"]),
            dict(found["comments"]),
        )
