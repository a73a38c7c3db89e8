"""Simulate a long line: `python -m tests.lab.line SECONDS LOST RATE BRIDGE BRIDGE`, run where the
bridges are.

It joins two bridges with a tap device on each. It forwards every frame after SECONDS, except for a
random share LOST, and at most RATE bytes a second each way (0: no limit). Without this delay both
ends of a connection would be a few microseconds apart, and the lab would never show what happens
when two friends on the Internet dial at once: each one's first packet may arrive before or after
the other's has left. (Not every kernel has its own netem.)
"""

import contextlib
import fcntl
import heapq
import os
import random
import selectors
import struct
import subprocess
import sys
import time

_TUNSETIFF = 0x400454CA  # linux/if_tun.h
_TAP, _NO_HEADER = 0x0002, 0x1000
_FRAME = 65536
_WAITING = 10_000  # frames; any more are lost, as on any line


def plug_into(bridge, name):
    """Attach a TAP device to this bridge. What we write to it comes out on the bridge, and what the
    bridge sends can be read from it."""
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _TAP | _NO_HEADER))
    subprocess.run(["ip", "link", "set", name, "master", bridge, "up"], check=True)
    return file


def main():
    (seconds, lost, rate), ends = map(float, sys.argv[1:4]), sys.argv[4:6]
    files = [plug_into(bridge, f"{bridge[:12]}-up") for bridge in ends]
    other = {files[0]: files[1], files[1]: files[0]}
    free = dict.fromkeys(files, 0.0)  # when each direction has finished sending
    waiting = []  # a heap of (due time, destination, frame)
    selector = selectors.DefaultSelector()
    for file in files:
        selector.register(file, selectors.EVENT_READ)
    print("the line is up", flush=True)
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, file, frame = heapq.heappop(waiting)
            with contextlib.suppress(OSError):  # that end is down, so the frame is lost
                os.write(file, frame)
        timeout = waiting[0][0] - now if waiting else None
        for key, _ in selector.select(timeout):
            try:
                frame = os.read(key.fd, _FRAME)
            except OSError:
                continue
            if len(waiting) >= _WAITING or random.random() < lost:
                continue
            sent = max(time.monotonic(), free[key.fd]) + (len(frame) / rate if rate else 0)
            free[key.fd] = sent
            heapq.heappush(waiting, (sent + seconds, other[key.fd], frame))


if __name__ == "__main__":
    main()
