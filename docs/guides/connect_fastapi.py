# A partner's server with a Connect button, in FastAPI: pip install fastapi uvicorn python-multipart authlib requests
import html, os, secrets, uuid
from typing import Annotated

import uvicorn
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from fastapi import FastAPI, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse

SWITCHBOARD = os.environ.get("SWITCHBOARD", "http://localhost:8080")
APP_CLIENT_ID, APP_CLIENT_SECRET = os.environ["APP_CLIENT_ID"], os.environ["APP_CLIENT_SECRET"]
PORT = int(os.environ.get("PORT", "3000"))
REDIRECT_URI = os.environ.get("REDIRECT_URI", f"http://localhost:{PORT}/callback")

app = FastAPI()
# Each visitor's handshake or connection, by the visitor's cookie, in the memory of this server. Keep connections in
# your database instead: a secret is not shown again.
visitors = {}


def oauth(**more):
    options = {"scope": "messages.send conversations.read", "redirect_uri": REDIRECT_URI, "code_challenge_method": "S256"}
    return OAuth2Session(APP_CLIENT_ID, APP_CLIENT_SECRET, **options, **more)


def page(content, status=200):
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>My CRM</title>'
    return HTMLResponse(f"{head}{content}</html>", status)


def not_connected(reason):
    return page(f'<p>Not connected: {html.escape(reason)}</p><a href="/">Try again</a>', 400)


def visitor_of(request):
    return visitors.get(request.cookies.get("visitor"), {})


# 1. The page with the button. State and verifier stay on the server, for this visitor; only the challenge is sent.
@app.get("/")
def front(request: Request):
    visitor = visitor_of(request)
    if connection := visitor.get("connection"):
        return page(f"""<p>Connected to {html.escape(connection["organization"]["name"])}.</p>
            <form method="post" action="/send">
              <input type="hidden" name="key" value="{uuid.uuid4()}">
              <input name="to" value="+12025550100" aria-label="Phone number">
              <input name="text" value="Hello from my CRM" aria-label="Text">
              <button>Send</button>
            </form>""")
    handshake = visitor.get("handshake") or {"state": secrets.token_urlsafe(), "verifier": secrets.token_urlsafe(64)}
    with oauth() as client:
        url, _ = client.create_authorization_url(
            f"{SWITCHBOARD}/connect/authorize", state=handshake["state"], code_verifier=handshake["verifier"]
        )
    response = page(f"""<script defer src="{html.escape(SWITCHBOARD)}/connect/button.js"></script>
        <button data-service-connect data-authorize-url="{html.escape(url)}">Connect</button>""")
    cookie = request.cookies.get("visitor") if visitor else secrets.token_urlsafe()
    visitors[cookie] = {"handshake": handshake}
    response.set_cookie("visitor", cookie, httponly=True, samesite="lax")
    return response


# 2. The browser comes back. The library exchanges the code, which works once.
@app.get("/callback")
def callback(request: Request):
    visitor = visitor_of(request)
    handshake = visitor.get("handshake")
    if not handshake:
        return RedirectResponse("/")
    query = request.query_params
    # Anybody can make a link to this page. Only one with the visitor's state ends the handshake or shows its error.
    if not secrets.compare_digest(query.get("state", "").encode(), handshake["state"].encode()):
        return not_connected("the state is not the one of this visitor.")
    visitor.pop("handshake", None)
    try:
        if "error" in query:
            raise AuthlibBaseError(query["error"], query.get("error_description"))
        with oauth(state=handshake["state"]) as client:
            visitor["connection"] = client.fetch_token(
                f"{SWITCHBOARD}/connect/token",
                authorization_response=str(request.url),
                code_verifier=handshake["verifier"],
            )
    except AuthlibBaseError as error:
        return not_connected(error.description or error.error)
    return RedirectResponse("/")


# 3. A send for the business. The key of the form makes a form that is posted twice send once.
@app.post("/send")
def send(request: Request, key: Annotated[str, Form()], to: Annotated[str, Form()], text: Annotated[str, Form()]):
    visitor = visitor_of(request)
    if "connection" not in visitor:
        return RedirectResponse("/", 303)
    with oauth(token=visitor["connection"]) as client:
        answer = client.post(
            f"{SWITCHBOARD}/api/v1/messages",
            json={"type": "text", "phone_number": to, "text": text},
            headers={"idempotency-key": key},
        )
    message = answer.json()
    # 401: the business disconnected, or connected again. Any other error leaves the connection as it is.
    if answer.status_code == 401:
        del visitor["connection"]
    outcome = f"Accepted: {message['id']}" if answer.ok else f"Not sent: {message['error']}"
    return page(f'<p>{html.escape(outcome)}</p><a href="/">Back</a>', 200 if answer.ok else 502)


if __name__ == "__main__":
    print(f"Open http://localhost:{PORT}", flush=True)
    uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
