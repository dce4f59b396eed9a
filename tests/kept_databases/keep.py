"""Keeps databases as one version of the server writes them, for the acceptance tests of upgrades.

    python3 tests/kept_databases/keep.py target/debug/switchboard NAME [postgres://…]

Writes `NAME/sqlite.sql`, and `NAME/postgres.sql` where a server is named whose user may create databases, each beside
`….json` with the credentials in it and the answers that the API gave. NAME says the version.
"""

import base64
import hashlib
import json
import os
import re
import secrets
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse

import channel
from server import Server, field, until

EMAIL, PASSWORD = "ada@acme.example", "correct horse battery staple"
REDIRECT = "https://partner.example/callback"
PERSON, REFUSING, OTHER = "+12025550100", "+12025550103", "+12025550155"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def connect(server, application):
    """The Connect handshake, by a member who is signed in."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    asked = {
        "client_id": application["client_id"],
        "redirect_uri": REDIRECT,
        "scope": "messages.send conversations.read",
        "state": "kept",
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    consent = server.page("/connect/authorize?" + urllib.parse.urlencode(asked))
    page = server.page(consent)
    form = [("token", field(page, "token")), ("organization", field(page, "organization")), ("decision", "allow")]
    form += [("scope", scope) for scope in asked["scope"].split()]
    numbers = re.findall(r'<input type="radio" name="account" value="([^"]+)"', page)
    form += [("account", number) for number in numbers[:1]]
    back = server.page(consent, form)
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(back).query)["code"][0]
    exchange = {
        "grant_type": "authorization_code",
        "client_id": application["client_id"],
        "client_secret": application["client_secret"],
        "code": code,
        "redirect_uri": REDIRECT,
        "code_verifier": verifier,
    }
    return server.call("POST", "/connect/token", body=exchange)


def fill(server, hook):
    """Makes some of everything; gives what a test has to know. Nobody listens at `hook`, so that deliveries are left."""
    server.start()
    plan = ["--api-access", "true", "--api-calls-per-day", "100000", "--messages-per-month", "10000"]
    server.admin("plan", "set", "--name", "Pro", *plan)
    server.admin("organization", "create", "--name", "Acme", "--plan", "Pro")
    of = ["--organization", "Acme"]
    number = ["--phone-number", "+12025550190", "--display-name", "Acme"]
    server.admin("account", "connect", *of, *number, "--channel", "sandbox")
    server.admin("member", "create", *of, "--email", EMAIL, "--name", "Ada", "--password-stdin", stdin=PASSWORD)
    scopes = "messages.send,templates.read,templates.write,conversations.read,media.write"
    key = server.admin("key", "create", *of, "--name", "Shop", "--scopes", scopes, "--rate-limit", "0")
    other = server.admin("key", "create", *of, "--name", "Off", "--scopes", scopes, "--rate-limit", "5")
    server.admin("key", "disable", other["client_id"])
    terms = ["--name", "Partner CRM", "--redirect-uri", REDIRECT, "--scopes", "messages.send,conversations.read"]
    application = server.admin("application", "create", *of, *terms)

    login = server.page("/login")
    server.page("/login", {"token": field(login, "token"), "email": EMAIL, "password": PASSWORD})
    proof = field(server.page("/integrations/webhooks"), "token")
    made = server.page("/integrations/webhooks", {"token": proof, "url": hook, "which": "all"})
    shown = server.page(made)
    webhook_secret = re.search(r"whsec_[A-Za-z0-9+/=]+", shown)[0]
    connection = connect(server, application)

    template = {
        "name": "order_update",
        "language": "en",
        "category": "utility",
        "components": [
            {"type": "BODY", "text": "Hello {{1}}, your order has left.", "example": {"body_text": [["Ada"]]}}
        ],
    }
    made = server.call("POST", "/api/v1/templates", key, template)
    rejected = template | {"name": "order_update_rejected_scam"}
    server.call("POST", "/api/v1/templates", key, rejected)
    path = f"/api/v1/templates/{made['id']}"
    until("approved", lambda: server.call("GET", path, key)["status"] == "approved")
    picture = {"content_type": "image/png", "filename": "logo.png", "data": PNG}
    media = server.call("POST", "/api/v1/media", key, picture)

    def send(**content):
        return server.call("POST", "/api/v1/messages", key, {"phone_number": PERSON} | content)["id"]

    reply = [{"type": "reply", "reply": {"id": id, "title": id.title()}} for id in ("yes", "no")]
    buttons = {"type": "button", "body": {"text": "Coming?"}, "action": {"buttons": reply}}
    rows = [{"id": id, "title": id.title()} for id in ("apple", "plum")]
    sections = [{"title": "Cakes", "rows": rows}]
    choice = {"type": "list", "body": {"text": "Which one?"}, "action": {"button": "Choose", "sections": sections}}
    filled = [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}]}]
    sent = [
        send(type="text", text="Hello, ☕ and \U0001f600", client_ref="order-1", metadata={"order": "1"}),
        send(type="media", media_type="image", media_url=media["url"], caption="Our logo"),
        send(type="template", template_name="order_update", language="en", components=filled),
        send(type="interactive", interactive=buttons),
        send(type="interactive", interactive=choice),
    ]
    refused = server.call("POST", "/api/v1/messages", key, {"type": "text", "phone_number": REFUSING, "text": "Hi"})
    repeated = {"type": "text", "phone_number": PERSON, "text": "Once", "reply_to": sent[0]}
    first = server.call("POST", "/api/v1/messages", key, repeated, **{"idempotency-key": "kept-1"})
    sent += [refused["id"], first["id"]]

    def settled():
        states = {server.call("GET", f"/api/v1/messages/{id}", key)["status"] for id in sent}
        return "queued" not in states

    until("sent", settled)
    # The sandbox's statuses and echoes.
    time.sleep(5)
    answers = [
        "/api/v1/me",
        f"/api/v1/conversations/history?phone_number={urllib.parse.quote(PERSON)}&limit=100",
        f"/api/v1/conversations/history?phone_number={urllib.parse.quote(REFUSING)}",
        *(f"/api/v1/messages/{id}" for id in sent),
        "/api/v1/events?after=0&limit=100",
    ]
    kept = {path: server.call("GET", path, key) for path in answers}
    server.stop()

    # Numbers on a network, and what that reports.
    cloud, network = channel.fill(server, of, scopes, key, PNG)
    # Sends that nobody takes: they wait in the queue when the server is killed.
    server.start(**channel.settings("http://127.0.0.1:9"))
    waiting = [
        server.call("POST", "/api/v1/messages", cloud, {"type": "text", "phone_number": OTHER, "text": f"Waiting {n}"})["id"]
        for n in range(3)
    ]
    server.stop(signal.SIGKILL)
    with open(os.path.join(server.folder, "data", "encryption.key")) as file:
        encryption_key = file.read().strip()
    return {
        "kept_at": int(time.time()) + 1,
        "base": server.base,
        "encryption_key": encryption_key,
        "member": {"email": EMAIL, "password": PASSWORD},
        "key": key,
        "disabled_key": other,
        "cloud_key": cloud,
        "application": application,
        "connection": connection,
        "webhook": {"url": hook, "secret": webhook_secret},
        "media": {"url": media["url"], "bytes": PNG},
        "idempotent": {"key": "kept-1", "body": json.dumps(repeated), "answer": first},
        "sent": sent,
        "waiting": waiting,
        "answers": kept,
    } | network


def sqlite(binary, out):
    with tempfile.TemporaryDirectory() as folder:
        server = Server(binary, "sqlite:data/switchboard.db", folder)
        known = fill(server, "http://127.83.1.1:18499/hooks")
        database = sqlite3.connect(os.path.join(folder, "data", "switchboard.db"))
        write(out, "sqlite", "\n".join(database.iterdump()) + "\n", known)


def postgres(binary, out, url):
    name = f"kept_{secrets.token_hex(4)}"
    subprocess.run(["psql", "-q", url, "-c", f"CREATE DATABASE {name}"], check=True)
    database = url.rsplit("/", 1)[0] + "/" + name
    with tempfile.TemporaryDirectory() as folder:
        known = fill(Server(binary, database, folder), "http://127.83.1.2:18499/hooks")
    dump = ["pg_dump", "--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100", database]
    sql = subprocess.run(dump, check=True, capture_output=True, text=True).stdout
    # What psql alone understands, and settings that only some versions of the server know.
    lines = (it for it in sql.splitlines() if not re.match(r"\\|SET |SELECT pg_catalog.set_config|--", it))
    write(out, "postgres", "\n".join(lines) + "\n", known)
    subprocess.run(["psql", "-q", url, "-c", f"DROP DATABASE {name}"], check=True)


def write(out, kind, sql, known):
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, f"{kind}.sql"), "w") as file:
        file.write(sql)
    with open(os.path.join(out, f"{kind}.json"), "w") as file:
        json.dump(known, file, indent=1, ensure_ascii=False)
        file.write("\n")


def main():
    binary = os.path.abspath(sys.argv[1])
    out = os.path.join(os.path.dirname(os.path.abspath(__file__)), sys.argv[2])
    sqlite(binary, out)
    if len(sys.argv) > 3:
        postgres(binary, out, sys.argv[3])


main()
