"""What happens on a network: numbers of the Cloud API beside a stand-in for it, and what that reports."""

import base64
import hashlib
import hmac
import http.server
import json
import threading
import time
import urllib.parse

from server import until

TOKEN, REVOKED = "EAAG-test-token", "EAAG-revoked"
APP_SECRET, VERIFY_TOKEN = "5f4dcc3b5aa765d61d8327deb882cf99", "meatyhamhock"
# What Meta calls the numbers and the businesses that they belong to.
WAITING, INBOX, HELD, RESTRICTED = (f"10654035224292{n}" for n in (2, 3, 4, 5))
BUSINESS, OTHER_BUSINESS = "102290129340398", "102290129340399"
# People, as the network writes them.
CAROL, DAVE, ERIN, FRANK, GRACE = (f"1202555{n:04}" for n in range(160, 165))
USER, OTHER_USER = "US.13491208655302741918", "US.2"
HISTORY = "/api/v1/conversations/history"


class StandIn(http.server.BaseHTTPRequestHandler):
    """Accepts messages and templates that come with the token, and has one file."""

    accepted, picture = [], b""
    lock = threading.Lock()

    def answer(self, status, body, content_type="application/json"):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def is_refused(self):
        if self.headers["authorization"] == f"Bearer {TOKEN}":
            return False
        message = "Error validating access token: the session has been invalidated."
        self.answer(401, {"error": {"message": message, "type": "OAuthException", "code": 190}})
        return True

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        if self.is_refused():
            return
        if path.startswith("/files/"):
            return self.answer(200, self.picture, "image/png")
        id, host = path.rsplit("/", 1)[1], self.headers["host"]
        file = {"messaging_product": "whatsapp", "id": id, "url": f"http://{host}/files/{id}", "mime_type": "image/png"}
        self.answer(200, file | {"sha256": hashlib.sha256(self.picture).hexdigest(), "file_size": len(self.picture)})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.is_refused():
            return
        if self.path.endswith("/message_templates"):
            return self.answer(200, {"id": "1000000000000001", "status": "PENDING", "category": body["category"]})
        if body.get("status") == "read":
            return self.answer(200, {"success": True})
        with self.lock:
            wamid = f"wamid.{len(self.accepted)}"
            self.accepted.append((wamid, body))
        to = body.get("to") or body.get("recipient")
        contacts = [{"input": to, "wa_id": to.lstrip("+")}]
        self.answer(200, {"messaging_product": "whatsapp", "contacts": contacts, "messages": [{"id": wamid}]})

    def log_message(self, *_):
        pass


def listen(picture):
    StandIn.accepted, StandIn.picture = [], picture
    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    return listener


class Reports:
    """What the network reports to a server, each some seconds after the one before."""

    def __init__(self, server):
        # Long enough ago that all of it has happened.
        self.server, self.second, self.number = server, int(time.time()) - 60, 0

    def post(self, field, value, business=BUSINESS):
        change = {"field": field, "value": value}
        entry = {"id": business, "time": self.second, "changes": [change]}
        body = json.dumps({"object": "whatsapp_business_account", "entry": [entry]})
        digest = hmac.new(APP_SECRET.encode(), body.encode(), "sha256").hexdigest()
        self.server.report("/channel/cloud/webhook", body, {"x-hub-signature-256": f"sha256={digest}"})

    def on_number(self, field="messages", **more):
        metadata = {"display_phone_number": "12025550196", "phone_number_id": INBOX}
        self.post(field, {"messaging_product": "whatsapp", "metadata": metadata} | more)

    def frame(self):
        self.second, self.number = self.second + 1, self.number + 1
        return {"id": f"wamid.P{self.number}", "timestamp": str(self.second)}

    def received(self, person, user=None, username=None, **content):
        """A message of a person, who has a number, a user id or both."""
        message = self.frame() | content
        names = {"wa_id": person, "user_id": user}
        contact = {name: value for name, value in names.items() if value}
        contact["profile"] = {"name": "Sheena Nelson"} | ({"username": username} if username else {})
        message |= {name: value for name, value in (("from", person), ("from_user_id", user)) if value}
        self.on_number(contacts=[contact], messages=[message])
        return message["id"]

    def text(self, person, body, **more):
        return self.received(person, type="text", text={"body": body}, **more)

    def echo(self, person, body):
        message = self.frame() | {"from": "12025550196", "to": person, "type": "text", "text": {"body": body}}
        self.on_number("smb_message_echoes", message_echoes=[message])

    def status(self, wamid, ours, state):
        status = {"id": wamid, "status": state, "timestamp": str(int(time.time())), "recipient_id": CAROL}
        self.on_number(statuses=[status | {"biz_opaque_callback_data": ours}])


def query(**named):
    return f"{HISTORY}?{urllib.parse.urlencode(named)}&limit=100"


class Network:
    """Numbers of an organization on the network; each has a key that is bound to it."""

    def __init__(self, server, of, scopes):
        self.server, self.of, self.scopes = server, of, scopes
        self.reports, self.numbers, self.sent = Reports(server), {}, []

    def connect(self, name, phone_number, id, business=BUSINESS, token=TOKEN):
        number = ["--phone-number", phone_number, "--display-name", name, "--channel", "cloud-api"]
        ids = ["--phone-number-id", id, "--waba-id", business, "--access-token-stdin"]
        account = self.server.admin("account", "connect", *self.of, *number, *ids, stdin=token)
        bound = ["--name", name, "--scopes", self.scopes, "--rate-limit", "0", "--account", account["id"]]
        self.numbers[name] = account["id"], self.server.admin("key", "create", *self.of, *bound)
        return self.numbers[name]

    def call(self, name, method, path, body=None):
        return self.server.call(method, path, self.numbers[name][1], body)

    def send(self, name, to, text):
        body = {"type": "text", "phone_number": f"+{to}", "text": text}
        return self.call(name, "POST", "/api/v1/messages", body)["id"]

    def history(self, **named):
        return self.call("Inbox", "GET", query(**named))

    def until_said(self, count, **named):
        def said():
            return len(self.history(**named)["data"]) == count

        until(f"{named}: {count} messages", said)

    def health(self, name):
        return self.call(name, "GET", "/api/v1/me")["account"]["health"]

    def write(self):
        """A person to whom we write, and who reads it; what they say, change, delete and want."""
        reports = self.reports
        self.sent.append(self.send("Inbox", CAROL, "Your table is booked."))
        until("handed over", lambda: StandIn.accepted)
        wamid, body = StandIn.accepted[0]
        for state in ("sent", "delivered", "read"):
            reports.status(wamid, body["biz_opaque_callback_data"], state)
        tuesday, mistake = reports.text(CAROL, "Tuesday"), reports.text(CAROL, "Forget it")
        now = {"context": {"id": "M0"}, "type": "text", "text": {"body": "Wednesday"}}
        self.until_said(3, phone_number=f"+{CAROL}")
        reports.received(CAROL, type="edit", edit={"original_message_id": tuesday, "message": now})
        reports.received(CAROL, type="revoke", revoke={"original_message_id": mistake})
        picture = {"id": "7", "mime_type": "image/png", "sha256": "x", "caption": "The menu"}
        reports.received(CAROL, type="image", image=picture)
        place = {"latitude": 37.5, "longitude": -122.25, "name": "HQ", "url": "https://example.com"}
        reports.received(CAROL, type="location", location=place, context={"forwarded": True})
        card = {"name": {"formatted_name": "Ada L", "first_name": "Ada"}, "phones": [{"phone": "+1 202 555 0100"}]}
        reports.received(CAROL, type="contacts", contacts=[card | {"birthday": "1815-12-10"}])
        items = [{"product_retailer_id": "bread", "quantity": 2, "item_price": 3.5, "currency": "EUR"}]
        reports.received(CAROL, type="order", order={"catalog_id": "35", "text": "Soon", "product_items": items})
        reports.received(CAROL, type="reaction", reaction={"message_id": wamid, "emoji": "👍"})
        choice = {"type": "button_reply", "button_reply": {"id": "yes", "title": "Yes"}}
        reports.received(CAROL, type="interactive", interactive=choice, context={"from": "12025550196", "id": wamid})
        form = {"name": "flow", "body": "Sent", "response_json": '{"flow_token":"t","rating":4}'}
        reports.received(CAROL, type="interactive", interactive={"type": "nfm_reply", "nfm_reply": form})
        reports.received(CAROL, type="hologram", hologram={"depth": 3})
        reports.echo(CAROL, "We are open until ten")
        self.until_said(12, phone_number=f"+{CAROL}")

        def settled():
            shown = self.history(phone_number=f"+{CAROL}")["data"]
            files = [it["media"] for it in shown if it["media"]]
            changes = [name for it in shown for name in ("edited_at", "deleted_at") if name in it]
            read = [it for it in shown if it["status"] == "read"]
            return files and files[0]["url"] and len(changes) == 2 and read

        until("changed, fetched and read", settled)

    def identify(self):
        """Somebody of whom only a user id is known; two who turn out to be one; one who wants no marketing."""
        reports = self.reports
        reports.text(None, "Hello", user=USER, username="realjessica")
        self.until_said(1, channel_user_id=USER)
        reports.text(DAVE, "It is me")
        reports.text(None, "From another phone", user=OTHER_USER)
        self.until_said(1, channel_user_id=OTHER_USER)
        self.until_said(1, phone_number=f"+{DAVE}")
        two = [self.history(phone_number=f"+{DAVE}"), self.history(channel_user_id=OTHER_USER)]
        reports.text(DAVE, "Both of me", user=OTHER_USER)
        self.until_said(3, phone_number=f"+{DAVE}")
        reports.text(ERIN, "Leave me alone")
        self.until_said(1, phone_number=f"+{ERIN}")
        stop = {"detail": "User requested", "category": "marketing_messages", "value": "stop", "timestamp": reports.second}
        contact = {"profile": {"name": "Erin"}, "wa_id": ERIN}
        reports.on_number("user_preferences", contacts=[contact], user_preferences=[stop | {"wa_id": ERIN}])

        def opted_out():
            return self.history(phone_number=f"+{ERIN}")["conversation"]["contact"]["opted_out_at"]

        until("opted out", opted_out)
        first = [it["data"][0] for it in two]
        ids = [(name, it[name]) for it in first for name in ("contact_id", "conversation_id")]
        named = [("phone_number", f"+{DAVE}"), ("channel_user_id", OTHER_USER), *ids]
        return [("channel_user_id", USER), *named, ("phone_number", f"+{ERIN}")]

    def review(self):
        """A template that the reviewer approved and people do not like."""
        parts = [{"type": "BODY", "text": "Everything must go."}]
        sale = {"name": "spring_sale", "language": "en", "category": "marketing", "components": parts}
        path = f"/api/v1/templates/{self.call('Inbox', 'POST', '/api/v1/templates', sale)['id']}"

        def template():
            return self.call("Inbox", "GET", path)

        until("submitted", lambda: template()["external_id"])
        names = {"message_template_id": int(template()["external_id"]), "message_template_name": "spring_sale"}
        names["message_template_language"] = "en"
        judged = {"event": "APPROVED", "reason": "NONE", "message_template_category": "MARKETING"}
        self.reports.post("message_template_status_update", names | judged)
        until("approved", lambda: template()["status"] == "approved")
        scores = {"previous_quality_score": "GREEN", "new_quality_score": "YELLOW"}
        self.reports.post("message_template_quality_update", names | scores)
        until("judged by people", lambda: template()["quality"] == "yellow")
        return path

    def limit(self):
        """A number that the network refuses, with messages to two people, and one that it restricts."""
        waiting = {f"+{to}": [self.send("Held", to, f"Held {n}") for n in range(2)] for to in (FRANK, GRACE)}
        until("held", lambda: self.health("Held")["state"] == "held")
        kinds = [{"restriction_type": "RESTRICTED_ADD_PHONE_NUMBER_ACTION"}]
        limited = {"event": "ACCOUNT_RESTRICTION", "restriction_info": kinds}
        self.reports.post("account_update", limited, OTHER_BUSINESS)
        until("restricted", lambda: self.health("Restricted")["state"] == "restricted")
        return waiting

    def bury(self):
        """A report that says nothing which could be worked on."""
        self.reports.received(CAROL, type="edit")
        until("dead", lambda: self.server.admin("callback", "list")["data"])
        return self.server.admin("callback", "list")["data"]


def fill(server, of, scopes, key, picture):
    """Makes some of everything that a network brings; gives what a test has to know."""
    network = Network(server, of, scopes)
    waiting = network.connect("Cloud", "+12025550195", WAITING)
    network.connect("Inbox", "+12025550196", INBOX)
    held = network.connect("Held", "+12025550197", HELD, token=REVOKED)
    network.connect("Restricted", "+12025550198", RESTRICTED, business=OTHER_BUSINESS)
    listener = listen(base64.b64decode(picture))
    server.start(**settings(f"http://127.0.0.1:{listener.server_port}"))
    network.write()
    people = [("phone_number", f"+{CAROL}"), *network.identify()]
    template, messages = network.review(), network.limit()
    letters = network.bury()
    paths = [query(**{name: value}) for name, value in people]
    shown = network.history(phone_number=f"+{CAROL}")["data"]
    paths += [f"/api/v1/messages/{it['id']}" for it in shown] + [template, "/api/v1/templates"]
    answers = {path: network.call("Inbox", "GET", path) for path in paths}
    own = {name: {"/api/v1/me": network.call(name, "GET", "/api/v1/me")} for name in ("Held", "Restricted")}
    readings = [{"key": network.numbers[name][1], "answers": own[name]} for name in own]
    readings.append({"key": network.numbers["Inbox"][1], "answers": answers})
    readings.append({"key": key, "answers": {"/api/v1/accounts": server.call("GET", "/api/v1/accounts", key)}})
    server.stop()
    listener.shutdown()
    known = {
        "readings": readings,
        "network_sent": network.sent,
        "opted_out": {"key": network.numbers["Inbox"][1], "phone_number": f"+{ERIN}", "template": "spring_sale"},
        "held": {"account": held[0], "key": held[1], "access_token": TOKEN, "messages": messages},
        "dead_letters": letters,
    }
    return waiting[1], known


def settings(graph_url):
    return {
        "SWITCHBOARD_GRAPH_URL": graph_url,
        "SWITCHBOARD_GRAPH_APP_SECRET": APP_SECRET,
        "SWITCHBOARD_GRAPH_VERIFY_TOKEN": VERIFY_TOKEN,
    }
