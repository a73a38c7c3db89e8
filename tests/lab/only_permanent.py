"""Imitate a router without leases: `python -m tests.lab.only_permanent PORT MINIUPNPDS_PORT`.

It forwards every request to miniupnpd, except that it answers an AddPortMapping that has a lease
with UPnP's error 725, OnlyPermanentLeasesSupported (WANIPConnection:1, 2.4.16). miniupnpd itself
accepts every lease.
"""

import http.client
import http.server
import re
import sys

_LEASE = re.compile(rb"<NewLeaseDuration[^>]*>\s*(\d+)\s*<")
_REFUSAL = b"""<?xml version="1.0"?>
<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"
 s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body><s:Fault>
<faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail>
<UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>725</errorCode>
<errorDescription>OnlyPermanentLeasesSupported</errorDescription></UPnPError>
</detail></s:Fault></s:Body></s:Envelope>"""


class Handler(http.server.BaseHTTPRequestHandler):
    """One request."""

    def handle_any(self):
        """Refuse the request or forward it."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        lease = _LEASE.search(body)
        if b"AddPortMapping" in body and lease is not None and int(lease[1]) != 0:
            self.answer(500, "text/xml", _REFUSAL)
            return
        address = self.connection.getsockname()[0]
        onward = http.client.HTTPConnection(address, int(sys.argv[2]), timeout=5)
        onward.request(self.command, self.path, body or None, dict(self.headers))
        answer = onward.getresponse()
        self.answer(answer.status, answer.getheader("Content-Type", "text/xml"), answer.read())

    do_GET = do_POST = handle_any  # the method names that http.server calls

    def answer(self, status, kind, body):
        """Send an answer, and close the connection."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


def main():
    server = http.server.ThreadingHTTPServer(("", int(sys.argv[1])), Handler)
    print("listening", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
