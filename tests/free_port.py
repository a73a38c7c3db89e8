"""A port for a process that is started later, or twice, at the same port.

Such a port is free when it is looked for, and must still be so when it is used. Ports that the
system gives out by itself are no good for that: on a full machine another test's socket has it by
then. So it is one below all of those, 32,768 on Linux and 49,152 elsewhere, free for TCP and UDP.
"""

import random
import socket

_PORTS = range(20_000, 32_000)
_RANDOM = random.SystemRandom()  # workers that share a seed must not find the same ports


def free_port(host="127.0.0.1"):
    """A port that neither TCP nor UDP has open here now. Raises OSError where 50 are taken."""
    for _ in range(50):
        port = _RANDOM.choice(_PORTS)
        try:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                with socket.socket(type=kind) as probe:
                    probe.bind((host, port))
        except OSError:
            continue
        return port
    raise OSError("50 ports are taken")
