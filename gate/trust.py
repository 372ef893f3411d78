"""Who vouches for what: the files that were signed by somebody who may sign them, and what the others count for.

A file that nobody vouches for counts as absent: decisions cover nothing, and a receipt shows nothing. What such a
receipt says to be owed stays owed: taking that away too would only ask less.

Receipts are signed for the hosts that they speak of, so that what one host's key signed never stands for another host.
Those without a host (suites, tickets), and `release.toml`, may be signed by those whom `hostless` names, or else by
whoever may sign for a required host; and by those who sign the decisions.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from gate import allowed_signers, versions
from gate.decisions import DEFAULT_FILE, Decisions, DecisionsDocument
from gate.errors import BadFile
from gate.files import InputFile, read_input, read_signature
from gate.ledger.rows import Receipt
from gate.ssh_keygen import NAMESPACE, SUFFIX, namespace_of, verifier

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable

    from gate.allowed_signers import Line
    from gate.ledger.rows import Ledger
    from gate.rules import Rules
    from gate.rules import Trust as Asked
    from gate.ssh_keygen import Verifier
    from gate.subject import Subject


@dataclass(frozen=True, slots=True)
class Signature:
    """What is known of the signature of one file. None: nothing is known of it.

    Args:
        file: the file that a signature is owed of.
        kind: `decisions`, `receipt`, `tickets` or `release`.
        asked: whether the rules ask for one; where not, none is looked for.
        may_sign: the principals who may sign it.
        host: the host that the file speaks of, where it is one.
        signature: the signature file.
        fault: why that file is no signature.
        namespace: what the signature says that it is for.
        key: the fingerprint of the key that made it of these very bytes.
        principal: one of `may_sign` for whom that key may sign, by the allowed_signers file.
        key_valid: whether the key is within its dates at the moment of judging.
        unrevoked: whether the key is none of those that were taken back.
        release: the release that decisions say they are for.
        release_holds: whether that is the one that is judged.
    """

    file: InputFile
    kind: str
    asked: bool = False
    may_sign: tuple[str, ...] = ()
    host: str | None = None
    signature: InputFile | None = None
    fault: str | None = None
    namespace: str | None = None
    key: str | None = None
    principal: str | None = None
    key_valid: bool | None = None
    unrevoked: bool | None = None
    release: str | None = None
    release_holds: bool | None = None

    @property
    def reason(self) -> str | None:
        """Why nobody vouches for the file, in the word that its finding has; None: somebody does."""
        why = {
            "unsigned": self.namespace is None,
            "misdirected": self.namespace != NAMESPACE,
            "forged": self.key is None,
            "unauthorized": self.principal is None,
            "revoked": not self.unrevoked,
            "expired": not self.key_valid,
        }
        return next((reason for reason, holds in why.items() if holds), None)

    @property
    def counts(self) -> bool:
        """Whether the file counts: somebody vouches for it where that is asked, and it is for this release."""
        return (self.reason is None or not self.asked) and self.release_holds is not False

    def to_json(self) -> dict[str, str | None]:
        """Return who vouches for the file, as the verdict's JSON has it; or why nobody does."""
        reason = self.reason if self.asked else "unsigned"
        principal, key = (None, None) if reason else (self.principal, self.key)
        if self.release_holds is False and not (self.asked and reason):
            reason = "stale"
        return {"path": self.file.path, "principal": principal, "key": key, "reason": reason}


@dataclass(frozen=True)
class Trust:
    """What is known of the signatures of one release.

    Args:
        at: the moment at which keys must be valid.
        signatures: one for each file that could be signed, sorted by path.
        strays: signature files whose file isn't there.
        inputs: the keys and the signatures that were read.
    """

    at: datetime.datetime
    signatures: tuple[Signature, ...]
    strays: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()

    @cached_property
    def refused(self) -> frozenset[str]:
        """The paths of the files that count as absent."""
        return frozenset(one.file.path for one in self.signatures if not one.counts)


def read(rules: Rules, decisions: Decisions, ledger: Ledger, subject: Subject, at: datetime.datetime) -> Trust:
    """Return who vouches for the decisions, the receipts and `release.toml`, where the rules ask for that.

    Args:
        rules: they say whose signatures are asked for.
        decisions: as they were read.
        ledger: as it was read.
        subject: it holds `release.toml`.
        at: the moment of judging.

    Raises:
        BadFile: a file of keys is missing or malformed, or a signature can't be read.
        Declined: there is no ssh-keygen that can be trusted.
    """
    owed = _owed(rules, decisions, ledger, subject)
    trust = rules.document.trust
    if trust is None:
        return Trust(at, owed)
    keys, lines, revoked = read_keys(rules, trust)
    found = _signature_files(rules, trust, ledger)
    files = {one.file.path for one in owed}
    strays = tuple(sorted(name for name in found if name.removesuffix(SUFFIX) not in files))
    owed = tuple(replace(one, signature=found.get(one.file.path + SUFFIX)) if one.asked else one for one in owed)
    with verifier(at, revoked.content if revoked else None) as asked:
        if revoked is not None and asked.revokes_wrongly():
            raise BadFile(revoked.path, "", "ssh-keygen can't read it", "Make it with ssh-keygen -k.")
        asked.keep("allowed_signers", keys.content)
        asked.keep("undated", allowed_signers.undated(lines))
        from concurrent.futures import ThreadPoolExecutor  # where nothing is signed, nobody waits for it

        with ThreadPoolExecutor(os.cpu_count()) as pool:  # in the order of the files, whichever is done first
            signatures = tuple(pool.map(lambda item: _verified(asked, *item), enumerate(owed)))
    inputs = [keys, *([revoked] if revoked else []), *found.values()]
    return Trust(at, signatures, strays, tuple(inputs))


def read_keys(rules: Rules, trust: Asked) -> tuple[InputFile, tuple[Line, ...], InputFile | None]:
    """Return the file of those who may sign, its lines, and the file of revoked keys, where the rules name one.

    Raises:
        BadFile: one is missing or malformed.
    """
    keys = read_input(rules.folder / trust.allowed_signers, trust.allowed_signers, limit=allowed_signers.MAX_KEYS)
    lines = allowed_signers.read(keys)
    revoked = None
    if trust.revoked is not None:
        revoked = read_input(rules.folder / trust.revoked, trust.revoked, limit=allowed_signers.MAX_KEYS)
        allowed_signers.check_revoked(revoked)
    return keys, lines, revoked


def _owed(rules: Rules, decisions: Decisions, ledger: Ledger, subject: Subject) -> tuple[Signature, ...]:
    """Return every file that somebody could vouch for, and who may."""
    trust = rules.document.trust
    receipts = trust is not None and trust.receipts is not None
    hostless = _hostless(rules, trust) if trust else ()
    owed = [_owed_of_receipt(receipt, rules, hostless, asked=receipts) for receipt in ledger.receipts]
    if ledger.tickets is not None:
        owed.append(Signature(ledger.tickets.file, "tickets", asked=receipts, may_sign=hostless))
    if subject.file is not None:
        owed.append(Signature(subject.file, "release", asked=receipts, may_sign=hostless))
    if decisions.file is not None:
        may_sign = tuple(trust.decisions or ()) if trust else ()
        release = decisions.document.release
        owed.append(
            Signature(
                decisions.file, "decisions", asked=bool(may_sign), may_sign=may_sign, release=release,
                release_holds=None if release is None else _same_release(release, subject.version),
            )
        )  # fmt: skip
    return tuple(sorted(owed, key=lambda one: one.file.path))


def _owed_of_receipt(receipt: Receipt, rules: Rules, hostless: tuple[str, ...], *, asked: bool) -> Signature:
    trust = rules.document.trust
    named = {name for name in (receipt.host, *(row.host for row in receipt.runs)) if name is not None}
    hosts = sorted({host.id if (host := rules.host_named(name)) else name for name in named})
    allowed = (trust.receipts or {}) if trust else {}
    lists = [allowed.get(host, []) for host in hosts]
    # A receipt of several hosts takes somebody who may sign for each of them.
    may_sign = tuple(p for p in lists[0] if all(p in others for others in lists)) if lists else hostless
    return Signature(
        receipt.file, "receipt", asked=asked, may_sign=may_sign, host=hosts[0] if len(hosts) == 1 else None
    )


def _hostless(rules: Rules, trust: Asked) -> tuple[str, ...]:
    """Return who may sign what names no host."""
    named = trust.hostless
    if named is None:
        named = [p for host in rules.required_hosts for p in (trust.receipts or {}).get(host.id, [])]
    return tuple(dict.fromkeys([*named, *(trust.decisions or [])]))


def _same_release(release: str, version: str) -> bool:
    """Say whether decisions for `release` are for `version`: its candidates are under them, as with `since`."""
    return version == release or str(versions.parse(version).finalize_version()) == release


def _signature_files(rules: Rules, trust: Asked, ledger: Ledger) -> dict[str, InputFile]:
    """Return the signature files by path: those of the ledger, and that of the decisions."""
    found = dict(ledger.signatures)
    shown = (rules.document.project.decisions or DEFAULT_FILE) + SUFFIX
    path = rules.folder / shown
    if trust.decisions is not None and (path.is_symlink() or path.exists()):
        found[shown] = read_signature(path, shown)
    return found


def _verified(asked: Verifier, index: int, one: Signature) -> Signature:
    """Return what ssh-keygen knows of one signature: whether it holds; and where it doesn't, what is wrong with it."""
    if one.signature is None or not one.asked:
        return one
    try:
        namespace = namespace_of(one.signature.content)
    except ValueError as why:
        return replace(one, fault=str(why))
    content, kept = one.file.content, asked.keep(f"{index}{SUFFIX}", one.signature.content)
    for principal in one.may_sign:
        key = asked.verify(content, kept, principal, namespace=namespace)
        if key is not None:
            return replace(one, namespace=namespace, key=key, principal=principal, key_valid=True, unrevoked=True)
    # From here on nobody vouches for the file. The questions left say why.
    key = asked.signed_by(content, kept, namespace)
    one = replace(one, namespace=namespace, key=key)
    for principal in one.may_sign if key is not None else ():
        if not asked.verify(content, kept, principal, namespace=namespace, signers="undated", revocable=False):
            continue
        in_time = asked.verify(content, kept, principal, namespace=namespace, revocable=False) is not None
        kept_on = asked.verify(content, kept, principal, namespace=namespace, signers="undated") is not None
        # Each holds by itself, and not both at once: the key is then within its dates on no line that lets it sign.
        return replace(one, principal=principal, key_valid=in_time and not kept_on, unrevoked=kept_on)
    return one


def counted_decisions(trust: Trust, decisions: Decisions) -> Decisions:
    """Return the decisions that count: none where they count as absent."""
    if decisions.file is None or decisions.file.path not in trust.refused:
        return decisions
    return Decisions(decisions.file, DecisionsDocument())


def counted_receipts(trust: Trust, ledger: Ledger) -> Ledger:
    """Return the ledger, its receipts that count as absent emptied of what they show, and without such tickets."""
    tickets = ledger.tickets
    counts = tickets is not None and tickets.file.path not in trust.refused
    receipts = tuple(_counted(ledger.receipts, trust.refused))
    return replace(ledger, receipts=receipts, tickets=tickets if counts else None)


def _counted(receipts: Iterable[Receipt], refused: frozenset[str]) -> Iterable[Receipt]:
    for receipt in receipts:
        yield _emptied(receipt) if receipt.file.path in refused else receipt


def _emptied(receipt: Receipt) -> Receipt:
    """Return what a receipt without a voucher still says: what it is, and what is owed because of it."""
    return Receipt(
        file=receipt.file, schema=receipt.schema, binding=receipt.binding, measured_at=receipt.measured_at,
        producer=receipt.producer, host=receipt.host, inventory=receipt.inventory, dispatches=receipt.dispatches,
        census=receipt.census, compute=receipt.compute, gpu=receipt.gpu, superseded=receipt.superseded,
        left_out=receipt.left_out, contradictions=receipt.contradictions,
    )  # fmt: skip
