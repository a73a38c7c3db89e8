"""Asks the routers to open one TCP port of ours.

Reading order:

gateways                    this machine's routers, from the system's routing table
results                     the results of asking: codes, sentences, whether an address is public
http, igd                   HTTP and the messages of UPnP, bytes to values and back
datagrams                   one request over UDP; the search for a router's UPnP description
methods                     a lease; the interface of all mapping methods
pcp, upnp                   PCP and NAT-PMP; UPnP: each asks one router for one port
port_mapping                chooses the method, renews the lease, and closes the port
"""
