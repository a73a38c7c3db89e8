"""A port for a process that starts later, or that restarts on the same port.

Such a port must be free when it is chosen, and still be free when it is used. Ports that the system
assigns are unsuitable: on a busy machine, another test's socket may get the same port in between.
So this port is below the range that the system assigns (32,768 and up on Linux, 49,152 elsewhere),
and free for TCP and UDP.
"""

import random
import socket

_PORTS = range(20_000, 32_000)
_RANDOM = random.SystemRandom()  # workers that share a seed must not choose the same ports


def free_port(host="127.0.0.1"):
    """Return a port that is free for TCP and UDP. Raise OSError if 50 candidates are in use."""
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
