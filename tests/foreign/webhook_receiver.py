"""Receives events and verifies their signatures with the library `standardwebhooks`.

The arguments are the secrets. Prints the port, and then for each request a line of JSON: whether each secret verifies
it, and whether the library rejected a changed byte.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

SECRETS = []


def verifies(secret, body, headers):
    try:
        Webhook(secret).verify(body, headers)
        return True
    except WebhookVerificationError:
        return False


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        changed = bytearray(body)
        changed[len(body) // 2] ^= 1
        verified = [verifies(secret, body, headers) for secret in SECRETS]
        told = {
            "type": json.loads(body)["type"],
            "verified": verified,
            "changed_refused": not any(verifies(it, bytes(changed), headers) for it in SECRETS),
        }
        self.send_response(204 if any(verified) else 400)
        self.end_headers()
        print(json.dumps(told), flush=True)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
SECRETS.extend(json.loads(sys.stdin.readline()))
server.serve_forever()
