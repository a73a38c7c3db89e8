"""Run a private Tor network: `python -m tests.lab.tor_network FOLDER ADDRESS ADDRESS ADDRESS ...`.

It has three directory authorities, which are relays and exits as well, and a plain relay at each
further address, all in this network namespace, with TestingTorNetwork and votes every few seconds.
It writes `authorities` to FOLDER: the lines that other Tors need to find this network and no other.
It prints "agreed" once the authorities have agreed on the relays.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

AUTHORITIES = 3
OR_PORT, DIR_PORT = 5000, 7000
_VOTES = 10  # seconds between two votes; each step of a vote takes two

COMMON = f"""
TestingTorNetwork 1
AssumeReachable 1
PathsNeededToBuildCircuits 0.67
TestingClientDownloadInitialDelay 0
TestingClientConsensusDownloadInitialDelay 0
TestingServerConsensusDownloadInitialDelay 0
TestingServerDownloadInitialDelay 0
ClientUseIPv6 0
SafeLogging 0
Log notice stdout
V3AuthVotingInterval {_VOTES}
V3AuthVoteDelay 2
V3AuthDistDelay 2
TestingV3AuthInitialVotingInterval {_VOTES}
TestingV3AuthInitialVoteDelay 2
TestingV3AuthInitialDistDelay 2
"""

_RELAY = """
Nickname {name}
Address {address}
ORPort {address}:{or_port} IPv4Only
DirPort {address}:{dir_port}
DataDirectory {home}
SocksPort 0
ContactInfo lab@ginlab.invalid
ExitRelay 1
ExitPolicy accept *:*
ExitPolicyRejectPrivate 0
%include {authorities}
"""

_AUTHORITY = """
AuthoritativeDirectory 1
V3AuthoritativeDirectory 1
V3AuthNIntervalsValid 2
TestingDirAuthVoteExit *
TestingDirAuthVoteGuard *
TestingDirAuthVoteHSDir *
TestingMinExitFlagThreshold 0
MinUptimeHidServDirectoryV2 0
"""


def main():
    folder, addresses = Path(sys.argv[1]), sys.argv[2:]
    lines = [authority(folder / f"relay{n}", n, addresses[n]) for n in range(AUTHORITIES)]
    (folder / "authorities").write_text(COMMON + "".join(lines))
    relays = [start(folder, n, address) for n, address in enumerate(addresses)]
    consensus = folder / "relay0" / "cached-microdesc-consensus"
    while not (consensus.exists() and consensus.read_text().count("\nr ") >= len(addresses)):
        for relay in relays:
            if relay.poll() is not None:
                sys.exit(f"a relay ended with {relay.returncode}")
        time.sleep(0.1)
    print("agreed", flush=True)
    for relay in relays:
        relay.wait()


def authority(home, number, address):
    """Make the keys of an authority; return the line by which others know it."""
    keys = home / "keys"
    keys.mkdir(parents=True, mode=0o700)
    home.chmod(0o700)
    paths = [
        *("-i", keys / "authority_identity_key", "-s", keys / "authority_signing_key"),
        *("-c", keys / "authority_certificate"),
    ]
    place = f"{address}:{DIR_PORT}"
    asked = [
        "tor-gencert",
        "--create-identity-key",
        "--passphrase-fd",
        "0",
        "-m",
        "12",
        "-a",
        place,
    ]
    subprocess.run([*asked, *paths], input=b"lab\n", check=True, capture_output=True)
    certificate = (keys / "authority_certificate").read_text()
    identity = re.search(r"^fingerprint ([0-9A-F]{40})$", certificate, re.MULTILINE)[1]
    # A relay's key is made by asking for its fingerprint. Tor refuses that without an authority of
    # our own, so we name a fictitious one.
    torrc = home / "none.torrc"
    torrc.write_text(f"DirAuthority nobody 127.0.0.1:1 {'f' * 40}\nORPort 1\n")
    keep = ("--datadirectory", home, "--nickname", f"relay{number}")
    listed = subprocess.run(
        [*tor(torrc), "--list-fingerprint", "--quiet", *keep],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    key = listed.strip().split("\n")[-1].partition(" ")[2].replace(" ", "")
    return f"DirAuthority relay{number} orport={OR_PORT} no-v2 v3ident={identity} {place} {key}\n"


def start(folder, number, address):
    """Start a relay."""
    home = folder / f"relay{number}"
    home.mkdir(exist_ok=True, mode=0o700)
    text = _RELAY.format(
        name=f"relay{number}",
        address=address,
        or_port=OR_PORT,
        dir_port=DIR_PORT,
        home=home,
        authorities=folder / "authorities",
    )
    torrc = folder / f"relay{number}.torrc"
    torrc.write_text(text + (_AUTHORITY if number < AUTHORITIES else ""))
    with (folder / f"relay{number}.log").open("w") as log:
        return subprocess.Popen(tor(torrc), stdout=log)


def tor(torrc):
    """Return the command that makes Tor read this file instead of the system's."""
    nothing = torrc.with_name("nothing")
    nothing.touch()
    return ["tor", "-f", torrc, "--defaults-torrc", nothing]


if __name__ == "__main__":
    main()
