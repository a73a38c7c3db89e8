"""Routing tables as operating systems print them, and the default gateways in them."""

import subprocess
import threading

import pytest
from twisted.internet import reactor
from twisted.internet.defer import CancelledError

from ginpeer.net.mapping import gateways as gateway_module
from ginpeer.net.mapping.gateways import (
    Gateway,
    find_gateways,
    linux_ipv4,
    linux_ipv6,
    netstat,
    reader_name,
    route_print,
)
from ginpeer.net.own_addresses import own_towards
from tests.net.support import failure_of

LINUX_4 = """\
Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
wlan0	00000000	0101A8C0	0003	0	0	600	00000000	0	0	0
eth0	00000000	FE01A8C0	0003	0	0	100	00000000	0	0	0
tun0	00000000	00000000	0001	0	0	50	00000000	0	0	0
tun0	00000000	0100000A	0003	0	0	50	00000080	0	0	0
eth0	0001A8C0	00000000	0001	0	0	100	00FFFFFF	0	0	0
docker0	000011AC	00000000	0001	0	0	0	0000FFFF	0	0	0
"""
ZERO, LINK = "0" * 32, "fe800000000000000a0027fffe000001"
LINUX_6 = f"""\
20010db8000000000000000000000000 40 {ZERO} 00 {ZERO} 00000100 00000001 00000000 00000001     eth0
{ZERO} 00 {ZERO} 00 {LINK} 00000400 00000003 00000000 00450003    wlan0
{ZERO} 00 {ZERO} 00 {LINK} 00000064 00000003 00000000 00450003     eth0
{ZERO} 00 {ZERO} 00 {ZERO} ffffffff 00000001 00000000 00200200       lo
"""
MACOS = """\
Routing tables

Internet:
Destination        Gateway            Flags               Netif Expire
default            192.168.1.1        UGScg                 en0
default            link#22            UCSIg           bridge100      !
127                127.0.0.1          UCS                   lo0
192.168.1          link#11            UCS                   en0      !

Internet6:
Destination                             Gateway                         Flags           Netif Expire
default                                 fe80::a00:27ff:fe00:1%en0       UGcg              en0
default                                 fe80::%utun0                    UGcIg           utun0
::1                                     ::1                             UHL               lo0
"""
FREEBSD = """\
Internet:
Destination        Gateway            Flags     Netif Expire
default            10.0.2.2           UGS         em0
Internet6:
Destination                       Gateway                       Flags     Netif Expire
::/0                              2001:db8::1                   UGS         em0
"""
WINDOWS = """\
===========================================================================
Schnittstellenliste
 12...08 00 27 00 00 01 ......Intel(R) PRO/1000 MT Desktop Adapter
===========================================================================

IPv4-Routentabelle
===========================================================================
Aktive Routen:
     Netzwerkziel    Netzwerkmaske          Gateway    Schnittstelle Metrik
          0.0.0.0          0.0.0.0      192.168.1.1    192.168.1.17     35
          0.0.0.0          0.0.0.0    192.168.1.254    192.168.1.18     25
          0.0.0.0          0.0.0.0   Auf Verbindung        10.8.0.2      5
        127.0.0.0        255.0.0.0   Auf Verbindung       127.0.0.1    331
===========================================================================
St\ufffdndige Routen:
  Keine

IPv6-Routentabelle
===========================================================================
Aktive Routen:
 If Metrik Netzwerkziel             Gateway
 12    281 ::/0                     fe80::a00:27ff:fe00:1
  1    331 ::1/128                  Auf Verbindung
"""


@pytest.mark.parametrize(
    ("read", "table", "routers"),
    [
        # sorted by metric, without routes into a tunnel
        (linux_ipv4, LINUX_4, ("192.168.1.254", "192.168.1.1")),
        # with the names of their interfaces
        (linux_ipv6, LINUX_6, ("fe80::a00:27ff:fe00:1%eth0", "fe80::a00:27ff:fe00:1%wlan0")),
        # both families in one table
        (netstat, MACOS, ("192.168.1.1", "fe80::a00:27ff:fe00:1%en0")),
        (netstat, FREEBSD, ("10.0.2.2", "2001:db8::1")),
        (netstat, "default  0.0.0.0  UGS  em0\ndefault  ::  UGS  em0\n", ()),
        # whatever language it is in
        (route_print, WINDOWS, ("192.168.1.254", "192.168.1.1", "fe80::a00:27ff:fe00:1%12")),
    ],
)
def test_the_routing_table_of_each_system_names_its_routers(read, table, routers):
    assert read(table) == routers


@pytest.mark.parametrize(
    ("platform", "which"),
    [("linux", "linux"), ("darwin", "netstat"), ("freebsd14", "netstat"), ("win32", "route")],
)
def test_each_system_has_its_reader(platform, which):
    assert reader_name(platform) == which


async def test_a_missing_command_means_no_router(monkeypatch):
    monkeypatch.setattr(gateway_module, "_ROUTE", ("/nowhere/route.exe", "print"))
    assert await find_gateways(reactor, platform="win32") == ()


@pytest.mark.parametrize(
    "error", [FileNotFoundError("netstat"), subprocess.TimeoutExpired("netstat", 2.0)]
)
def test_the_command_is_also_tried_at_its_other_location(monkeypatch, error):
    def run(command, **_given):
        if command == gateway_module._NETSTAT:
            raise error
        return subprocess.CompletedProcess(command, 0, FREEBSD.encode())

    monkeypatch.setattr(subprocess, "run", run)
    assert gateway_module._ask_system("netstat") == ("10.0.2.2", "2001:db8::1")


def test_a_missing_table_is_empty(tmp_path):
    assert gateway_module.read_system_file(str(tmp_path / "route")) == ""


async def test_an_internal_error_counts_as_finding_no_router(monkeypatch):
    monkeypatch.setattr(gateway_module, "_ask_system", lambda kind: 1 / 0)
    assert await find_gateways(reactor, platform="darwin") == ()


async def test_finding_gateways_can_be_cancelled(monkeypatch):
    waiting = threading.Event()
    monkeypatch.setattr(gateway_module, "_ask_system", lambda kind: waiting.wait(30) and ())
    asking = find_gateways(reactor, platform="darwin")
    asking.cancel()
    waiting.set()
    await failure_of(asking, CancelledError)


async def test_the_output_of_the_command_is_read(monkeypatch, tmp_path):
    script = tmp_path / "netstat"
    script.write_text(f"#!/bin/sh\ncat <<'END'\n{FREEBSD}END\n")
    script.chmod(0o755)
    monkeypatch.setattr(gateway_module, "_NETSTAT", (str(script), "-rn"))
    monkeypatch.setattr(gateway_module, "own_towards", {"10.0.2.2": "10.0.2.15"}.get)
    found = await find_gateways(reactor, ["2001:db8::5", "fe80::1", "::1"], "darwin")
    assert found == (Gateway("10.0.2.2", "10.0.2.15"), Gateway("2001:db8::1", "2001:db8::5"))


async def test_a_command_that_hangs_is_given_up(monkeypatch, tmp_path):
    script = tmp_path / "netstat"
    script.write_text("#!/bin/sh\nexec sleep 60\n")
    script.chmod(0o755)
    monkeypatch.setattr(gateway_module, "COMMAND_SECONDS", 0.2)
    monkeypatch.setattr(gateway_module, "_NETSTAT", (str(script), "-rn"))
    monkeypatch.setattr(gateway_module, "_NETSTAT_BSD", ("/nowhere/netstat",))
    begun = reactor.seconds()
    assert await find_gateways(reactor, platform="darwin") == ()
    assert reactor.seconds() - begun < 20


def test_without_a_route_there_is_no_address_of_ours():
    assert own_towards("255.255.255.255") is None  # a broadcast, which needs permission


async def test_asking_the_real_system_causes_no_error():
    for found in await find_gateways(reactor):
        assert found.host
        assert found.own_address
