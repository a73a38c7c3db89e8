"""A diagnosis as one document, for programs (`ginpeer doctor --json`).

# {
#   "version": 1,
#   "port": {"wanted": 4466, "used": 4466, "code": "free"},
#   "addresses": [{"card": "eth0", "address": "192.168.1.2", "reach": "home", "leaves": true}],
#   "firewall": {"code": "unseen", "seen_by": ""},                  own_firewall.FIREWALLS
#   "routers": [{"router": "192.168.1.1", "own": "192.168.1.2"}],
#   "asked": null, or
#     {"code": "mapped", "protocols": ["PCP"], "closed_again": true, "answers": [{"protocol": "PCP",
#      "router": ..., "own": ..., "code": ..., "outside": "198.51.100.7:4466", "seconds": 120}]},
#   "stun": null, or {"server": ..., "code": "answered", "outside": "198.51.100.7:4466"},
#   "outside": null, or {"address": "198.51.100.7", "told_by": "router"},
#   "behind": "nothing",                                            prospects.behind
#   "ipv6": {"address": null, "route": false, "pinhole": null},
#   "tor": {"socks": null, "control": null},
#   "forwarded": null, or what --advertise says: "198.51.100.7:4466"
#   "friend": [{"way": "home", "code": "yes", "reason": "address"}, ...],
#   "change": []                                                    prospects.changes
# }
#
# What is not known is null. More keys, ways and codes may come; those that are here stay.
"""

from __future__ import annotations

from typing import Any

from ginpeer.net.address import Address
from ginpeer.net.diagnosis import Diagnosis, RouterReport, StunAnswer
from ginpeer.net.reachability import (
    assess_reachability,
    find_public_address,
    granting_protocols,
    ipv6_status,
    suggest_remedies,
    upstream_nat,
)

VERSION = 1


def diagnosis_document(found: Diagnosis) -> dict[str, Any]:
    """As described above; all of it can be written as JSON."""
    outside, six = find_public_address(found), ipv6_status(found)
    return {
        "version": VERSION,
        "port": {"wanted": found.port.wanted, "used": found.port.used, "code": found.port.code},
        "addresses": [
            {
                "card": own.card,
                "address": own.host,
                "reach": own.reach.value,
                "leaves": own.leaves,
            }
            for own in found.own
        ],
        "firewall": {"code": found.firewall.code, "seen_by": found.firewall.seen_by},
        "routers": [{"router": each.host, "own": each.own} for each in found.routers],
        "asked": None if found.asked is None else _asked(found.asked, granting_protocols(found)),
        "stun": None if found.stun is None else _stun(found.stun),
        "outside": None
        if outside is None
        else {"address": outside.host, "told_by": outside.told_by},
        "behind": upstream_nat(found),
        "ipv6": {"address": six.host, "route": six.route, "pinhole": six.pinhole},
        "tor": {"socks": _text(found.tor.socks), "control": _text(found.tor.control)},
        "forwarded": _text(found.forwarded),
        "friend": [
            {"way": each.way.value, "code": each.code, "reason": each.reason}
            for each in assess_reachability(found)
        ],
        "change": list(suggest_remedies(found)),
    }


def _asked(asked: RouterReport, protocols: tuple[str, ...]) -> dict[str, Any]:
    return {
        "code": asked.code,
        "protocols": list(protocols),
        "closed_again": asked.closed_again,
        "answers": [
            {
                "protocol": each.protocol.value,
                "router": each.gateway.host,
                "own": each.gateway.own,
                "code": each.code,
                "outside": _text(each.outside),
                "seconds": each.lifetime,
            }
            for each in asked.answers
        ],
    }


def _stun(stun: StunAnswer) -> dict[str, Any]:
    return {"server": str(stun.server), "code": stun.code, "outside": _text(stun.outside)}


def _text(address: Address | None) -> str | None:
    return None if address is None else str(address)
