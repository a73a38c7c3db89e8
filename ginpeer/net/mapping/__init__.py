"""Has the router let one TCP port of ours through.

Reading order:

gateways                    the routers of this machine, from the system's routing table
results                     what comes of asking: codes, sentences, and what an address is worth
http, igd                   what UPnP is made of, bytes to values and back
datagrams                   one question by UDP; the search for a router's UPnP description
lease                       what may be open at a router, as a value and as text
methods                     what every protocol takes and returns
pcp, natpmp, upnp           the three protocols, each asking one router for one port
maintained_mapping          one address of ours: which method has it open, renewals
port_mapping                all of it, behind ``begin`` and ``stop``
"""
