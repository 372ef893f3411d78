"""GitHub's issues: what `gh issue list --json …` prints, and the JSON of its REST interface.

Number, title, state and its reason, milestone, labels and assignees are taken. All else, the bodies above all, is
counted and let go as it is read.

Sources: `gh issue list --help` (JSON fields), and docs.github.com/rest/issues (`2022-11-28`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, StringConstraints

from gate.decisions import Issue
from gate.errors import BadFile
from gate.ledger import priority
from gate.ledger.foreign import Foreign
from gate.malformed import checked

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

Form = Literal["gh", "rest"]
Said = Annotated[str, StringConstraints(strict=True, min_length=1)]

# Without one of these an open P0, a closed ticket or another milestone could not be seen.
NEEDED = ("number", "title", "state", "milestone", "labels")
ASK = "gh issue list --state all --limit 100000 --json number,title,state,stateReason,milestone,labels,assignees,url"

# What only the one or the other has. `number`, `title`, `state`, `labels`, `milestone`, `assignees`, `body` both have.
_ONLY_GH = {
    "closedAt", "createdAt", "updatedAt", "stateReason", "isPinned", "projectCards", "projectItems", "reactionGroups",
    "closedByPullRequestsReferences",
}  # fmt: skip
_ONLY_REST = {
    "html_url", "node_id", "repository_url", "labels_url", "comments_url", "events_url", "closed_at", "created_at",
    "updated_at", "state_reason", "author_association", "pull_request", "active_lock_reason",
}  # fmt: skip
_STATES: dict[str, Form] = {"OPEN": "gh", "CLOSED": "gh", "open": "rest", "closed": "rest"}


class Named(Foreign):
    """A label, by its name."""

    name: Said


class Titled(Foreign):
    """A milestone, by its title."""

    title: Said


class User(Foreign):
    """A person, by the name that they log in with."""

    login: Said


class GhIssue(Foreign):
    """One issue of `gh issue list --json number,title,state,stateReason,milestone,labels,assignees,url`."""

    number: Issue
    title: Said
    state: Literal["OPEN", "CLOSED"]
    milestone: Titled | None
    labels: list[Named]
    state_reason: str | None = Field(default=None, alias="stateReason")
    assignees: list[User] = []
    url: str | None = None


class RestIssue(Foreign):
    """One issue of `GET /repos/{owner}/{repo}/issues`."""

    number: Issue
    title: Said
    state: Literal["open", "closed"]
    milestone: Titled | None
    labels: list[Named | str]
    state_reason: str | None = None
    assignees: list[User] | None = None
    html_url: str | None = None
    pull_request: object = None


_MODELS: dict[Form, type[GhIssue | RestIssue]] = {"gh": GhIssue, "rest": RestIssue}


def recognized(item: Any) -> Form | None:
    """Return the form of an issue, by what only the one or the other has; None: it could be either, or is no issue."""
    if not isinstance(item, dict):
        return None
    state = item.get("state")
    forms = {form for form, only in (("gh", _ONLY_GH), ("rest", _ONLY_REST)) if not only.isdisjoint(item)}
    forms |= {_STATES[state]} if isinstance(state, str) and state in _STATES and (forms or state.isupper()) else set()
    return forms.pop() if len(forms) == 1 else None  # type: ignore[return-value]


def entries(
    items: Iterable[tuple[str, Any]], form: Form, path: str, repository: str | None, left_out: Counter[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each issue as an entry of `tickets.json`, with its place; pull requests are left out.

    Args:
        items: the issues with their places.
        form: the form that they are in.
        path: the file, for messages.
        repository: the address of the project's repository, where it has one: another one's numbers are others.
        left_out: what is left out is counted here.

    Raises:
        BadFile: an item is no such issue, or is another repository's.
    """
    for place, item in items:
        if not isinstance(item, dict) or recognized(item) not in {form, None}:
            right = "One file has issues of one form: gh, or rest. A list of lists is none."
            raise BadFile(path, place, f"it is no issue of the form {form}", right)
        missing = [name for name in NEEDED if name not in item]
        if missing:
            raise BadFile(path, place, f"the key {missing[0]} is missing", f"Ask for it: {ASK}")
        issue = checked(_MODELS[form], item, path, place)
        url = issue.url if isinstance(issue, GhIssue) else issue.html_url
        if _is_pull_request(issue, url):
            left_out["pull requests"] += 1
            continue
        if url is not None and repository is not None and not _of(url, repository):
            right = f"Its issues are at {repository}/issues; the rules say so in project.repository."
            raise BadFile(path, place, f"{url} is an issue of another repository", right)
        left_out.update(f"the field {name}" for name in issue.model_extra or {})
        yield place, _entry(issue)


def _is_pull_request(issue: GhIssue | RestIssue, url: str | None) -> bool:
    """Say whether GitHub lists a pull request among the issues: REST marks it, and its address says so in both."""
    marked = isinstance(issue, RestIssue) and issue.pull_request is not None
    return marked or (url is not None and "/pull/" in url)


def _of(url: str, repository: str) -> bool:
    if not repository.startswith(("https://", "http://")):
        return True  # an address that no browser opens: nothing to compare with
    scheme_free = repository.rstrip("/").removesuffix(".git").partition("://")[2].casefold()
    return url.partition("://")[2].casefold().startswith(f"{scheme_free}/")


def _entry(issue: GhIssue | RestIssue) -> dict[str, Any]:
    labels = sorted({label if isinstance(label, str) else label.name for label in issue.labels} - {""})
    owners = [label.partition(":")[2].strip() for label in labels if label.casefold().startswith("owner:")]
    entry: dict[str, Any] = {
        "number": issue.number,
        "title": issue.title,
        "state": issue.state.lower(),
        "milestone": issue.milestone.title if issue.milestone else None,
        "labels": labels,
    }
    if "state_reason" in issue.model_fields_set:
        entry["state_reason"] = (issue.state_reason or "").lower() or None
    if "assignees" in issue.model_fields_set:
        entry["assignees"] = sorted({user.login for user in issue.assignees or []})
    urgent = priority.of_labels(labels)
    if urgent is not None:
        entry["priority"] = urgent
    if len(owners) == 1 and owners[0]:
        entry["owner"] = owners[0]
    return entry
