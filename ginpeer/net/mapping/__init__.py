"""Ways in through the router: it is asked to let one TCP port of ours through.

Reading order:

refusals, outside           why a router opens nothing; what its outside address is worth
routes, gateway             the routers of this machine, from the system's routing table
pcp, natpmp                 PCP and NAT-PMP, bytes to values and back
ssdp, http, router_xml, igd what UPnP is made of, bytes to values and back
datagrams, search           one question by UDP; looking for a router's UPnP description
http_client                 one question by HTTP
lease                       what may stand open, as a value and as text
ways, upnp                  the three protocols, each asking one router for one port
outcome                     what the caller is told
opening                     one address of ours: which way has it open, renewals
port_mapping                all of it, behind ``begin`` and ``stop``
"""
