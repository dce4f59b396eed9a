# The handshake from a server, with Python 3 and nothing else.
import base64, hashlib, hmac, json, os, secrets
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import Request, urlopen

SWITCHBOARD = os.environ.get("SWITCHBOARD", "http://localhost:8080")
APP_CLIENT_ID, APP_CLIENT_SECRET = os.environ["APP_CLIENT_ID"], os.environ["APP_CLIENT_SECRET"]
REDIRECT_URI = os.environ["REDIRECT_URI"]


def base64url(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


# 1. Begin. Keep state and verifier on the server, for this visitor; only the challenge travels.
def begin():
    state, verifier = secrets.token_hex(16), base64url(secrets.token_bytes(64))
    query = urlencode({
        "client_id": APP_CLIENT_ID,
        "redirect_uri": REDIRECT_URI,
        "scope": "messages.send conversations.read",
        "state": state,
        "code_challenge": base64url(hashlib.sha256(verifier.encode()).digest()),
        "code_challenge_method": "S256",
    })
    return f"{SWITCHBOARD}/connect/authorize?{query}", {"state": state, "verifier": verifier}


# 2. The visitor comes back to the redirect URL. Reject anything that does not carry the state.
def code_of(callback, kept):
    query = {name: values[0] for name, values in parse_qs(urlsplit(callback).query).items()}
    if not hmac.compare_digest(query.get("state", "").encode(), kept["state"].encode()):
        raise SystemExit("this was not begun here")
    if "error" in query:
        raise SystemExit(f"not connected: {query['error']}")
    return query["code"]


# 3. Exchange the code at once, and once. What comes back is a key for this one business: store it.
def exchange(code, kept):
    body = json.dumps({
        "code": code,
        "code_verifier": kept["verifier"],
        "client_id": APP_CLIENT_ID,
        "client_secret": APP_CLIENT_SECRET,
    })
    request = Request(f"{SWITCHBOARD}/connect/token", body.encode(), {"Content-Type": "application/json"})
    try:
        with urlopen(request) as response:
            return json.load(response)
    except HTTPError as error:
        raise SystemExit(f"the exchange failed: {json.load(error)['error_description']}")


# 4. The first call tells whether the plan lets you in: a 403 means "not now", a 401 "connect again".
def call(connection, method, path):
    headers = {"x-client-id": connection["client_id"], "x-client-secret": connection["client_secret"]}
    with urlopen(Request(SWITCHBOARD + path, method=method, headers=headers)) as response:
        return json.load(response)


if __name__ == "__main__":
    url, kept = begin()
    print(url, flush=True)
    connection = exchange(code_of(input(), kept), kept)
    print(json.dumps(call(connection, "GET", "/api/v1/me")))
