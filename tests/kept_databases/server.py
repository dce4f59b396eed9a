"""A server of the version that is kept."""

import atexit
import html
import http.cookiejar
import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Server:
    """A server of the version that is kept, in a folder of its own."""

    def __init__(self, binary, database_url, folder):
        self.binary, self.folder = binary, folder
        bind = f"127.0.0.1:{free_port()}"
        self.base = f"http://{bind}"
        self.environment = {
            "PATH": os.environ["PATH"],
            "SWITCHBOARD_BIND": bind,
            "SWITCHBOARD_BASE_URL": self.base,
            "SWITCHBOARD_DATABASE_URL": database_url,
            "SWITCHBOARD_METRICS_BIND": f"127.0.0.1:{free_port()}",
            "SWITCHBOARD_WEBHOOK_ALLOW": "127.0.0.0/8",
            "SWITCHBOARD_LOG": "warn",
        }
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.browser = urllib.request.build_opener(jar, NoRedirect)

    def start(self, **more):
        environment = self.environment | more
        self.process = subprocess.Popen([self.binary, "serve"], env=environment, cwd=self.folder)
        atexit.register(self.process.kill)
        for _ in range(300):
            try:
                return urllib.request.urlopen(self.base + "/readyz").read()
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the server does not get ready")

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()

    def admin(self, *arguments, stdin=None):
        command = [self.binary, "admin", *arguments, "--json"]
        done = subprocess.run(
            command, env=self.environment, cwd=self.folder, input=stdin, capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(f"{arguments}: {done.stderr}")
        return json.loads(done.stdout)

    def call(self, method, path, key=None, body=None, **headers):
        if key:
            headers |= {"x-client-id": key["client_id"], "x-client-secret": key["client_secret"]}
        if body is not None:
            headers["content-type"] = "application/json"
            body = json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, body, headers, method=method)
        try:
            return json.loads(urllib.request.urlopen(request).read())
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}")

    def report(self, path, body, headers):
        """A callback, byte for byte as it was signed."""
        headers = headers | {"content-type": "application/json"}
        request = urllib.request.Request(self.base + path, body.encode(), headers, method="POST")
        urllib.request.urlopen(request).read()

    def page(self, path, form=None):
        """A page, or where it leads."""
        data = urllib.parse.urlencode(form).encode() if form else None
        try:
            answer = self.browser.open(urllib.parse.urljoin(self.base, path), data)
        except urllib.error.HTTPError as error:
            answer = error
        if answer.status in (302, 303):
            return answer.headers["location"]
        if answer.status >= 400:
            raise SystemExit(f"{path}: {answer.status} {answer.read().decode()}")
        return answer.read().decode()


def field(page, name):
    main = page.split("<main", 1)[-1]
    return html.unescape(re.search(rf'name="{name}"[^>]* value="([^"]*)"', main)[1])


def until(what, holds):
    for _ in range(300):
        if holds():
            return
        time.sleep(0.1)
    raise SystemExit(f"{what}: not within 30 seconds")
