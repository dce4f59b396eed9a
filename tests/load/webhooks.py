"""Measures how much an endpoint that never responds delays the deliveries to others.

    python3 tests/load/webhooks.py target/release/switchboard

There are 1,000 endpoints of 20 organizations, on SQLite, and each receives one event a round. The latency is the time
from the event's timestamp to its arrival. Measurements with and without the dead endpoint alternate, each on a new
server.
"""

import asyncio
import datetime
import http.cookiejar
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ORGANIZATIONS = int(os.environ.get("ORGANIZATIONS", 20))
EACH = int(os.environ.get("EACH", 50))
ROUNDS = int(os.environ.get("ROUNDS", 15))
TURNS = int(os.environ.get("TURNS", 3))
PASSWORD = "correct horse battery staple"


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


class Receiver:
    """Accepts every event, except at /dead, where it never responds."""

    def __init__(self):
        self.latencies = []

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                now = time.time()
                length = int(re.search(rb"content-length: (\d+)", head, re.I)[1])
                body = json.loads(await reader.readexactly(length))
                if head.split(b" ", 2)[1] == b"/dead":
                    await asyncio.sleep(3600)
                at = datetime.datetime.fromisoformat(body["timestamp"]).timestamp()
                self.latencies.append((now - at) * 1000)
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


class Service:
    """A server with organizations, their keys and their webhook endpoints."""

    def __init__(self, binary, hooks, dead):
        self.binary, self.hooks, self.dead = binary, hooks, dead
        self.folder = tempfile.TemporaryDirectory()
        bind = f"127.0.0.1:{free_port()}"
        self.base = f"http://{bind}"
        self.environment = {
            "PATH": os.environ["PATH"],
            "SWITCHBOARD_BIND": bind,
            "SWITCHBOARD_METRICS_BIND": f"127.0.0.1:{free_port()}",
            "SWITCHBOARD_WEBHOOK_ALLOW": "127.0.0.0/8",
            "SWITCHBOARD_LOG": "off",
        }
        self.process = subprocess.Popen([binary, "serve"], env=self.environment, cwd=self.folder.name)

    def admin(self, *arguments, stdin=None):
        command = [self.binary, "admin", *arguments, "--json"]
        done = subprocess.run(
            command, env=self.environment, cwd=self.folder.name, input=stdin, capture_output=True, text=True, check=True
        )
        return json.loads(done.stdout)

    def prepare(self):
        for _ in range(200):
            try:
                urllib.request.urlopen(self.base + "/readyz").read()
                break
            except OSError:
                time.sleep(0.1)
        plan = ["--api-access", "true", "--api-calls-per-day", "none", "--messages-per-month", "none"]
        self.admin("plan", "set", "--name", "Load", *plan)
        return [self.organization(number) for number in range(ORGANIZATIONS)]

    def organization(self, number):
        name, email = f"Load {number}", f"load{number}@acme.example"
        of = ["--organization", name]
        self.admin("organization", "create", "--name", name, "--plan", "Load")
        phone = f"+1202555{1000 + number}"
        self.admin("account", "connect", *of, "--phone-number", phone, "--display-name", name, "--channel", "sandbox")
        self.admin("member", "create", *of, "--email", email, "--name", "Ada", "--password-stdin", stdin=PASSWORD)
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

        def token(path):
            page = browser.open(self.base + path).read().decode()
            return re.search(r'name="token" value="([^"]+)"', page.split("<main", 1)[-1])[1]

        def post(path, **fields):
            browser.open(self.base + path, urllib.parse.urlencode(fields).encode()).read()

        post("/login", token=token("/login"), email=email, password=PASSWORD)
        for place in range(EACH):
            path = "dead" if self.dead and number == place == 0 else "hooks"
            url = f"http://127.0.0.1:{self.hooks}/{path}"
            # The form of one page creates one endpoint.
            proof = token("/integrations/webhooks")
            post("/integrations/webhooks", token=proof, url=url, which="some", event="message.queued")
        scopes = ["--scopes", "messages.send", "--rate-limit", "0"]
        return self.admin("key", "create", *of, "--name", "Load", *scopes)

    def send(self, keys):
        body = json.dumps({"type": "text", "phone_number": "+12025550177", "text": "Hello"}).encode()
        for key in keys:
            headers = {"x-client-id": key["client_id"], "x-client-secret": key["client_secret"]}
            headers["content-type"] = "application/json"
            urllib.request.urlopen(urllib.request.Request(self.base + "/api/v1/messages", body, headers)).read()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


async def measure(binary, dead):
    receiver, hooks = Receiver(), free_port()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", hooks, backlog=2000)
    loop = asyncio.get_running_loop()
    service = Service(binary, hooks, dead)
    try:
        keys = await loop.run_in_executor(None, service.prepare)
        expected = ORGANIZATIONS * EACH - dead
        for number in range(ROUNDS + 2):
            # The first rounds open the connections.
            if number == 2:
                receiver.latencies.clear()
            before = len(receiver.latencies)
            await loop.run_in_executor(None, service.send, keys)
            for _ in range(200):
                if len(receiver.latencies) - before >= expected:
                    break
                await asyncio.sleep(0.05)
            await asyncio.sleep(0.5)
    finally:
        service.stop()
        server.close()
    return receiver.latencies


def main():
    binary = os.path.abspath(sys.argv[1])
    medians = {False: [], True: []}
    for _ in range(TURNS):
        for dead in (False, True):
            latencies = sorted(asyncio.run(measure(binary, dead)))
            median, late = statistics.median(latencies), latencies[int(len(latencies) * 0.95)]
            medians[dead].append(median)
            print(f"{'with' if dead else 'without'} a dead one: {len(latencies)} deliveries, p50 {median:.1f} ms, p95 {late:.1f} ms")
    without, with_one = (statistics.median(medians[dead]) for dead in (False, True))
    print(f"median {without:.1f} ms without, {with_one:.1f} ms with: {100 * (with_one / without - 1):+.1f} %")


main()
