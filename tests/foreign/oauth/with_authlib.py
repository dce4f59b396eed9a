"""Connect with Authlib's client for Flask, in the steps of its documentation: discovery, `state` and PKCE are its own."""

import json
import os

from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask, request

service = os.environ["SWITCHBOARD"]
app = Flask(__name__)
app.secret_key = "a secret of the application"
switchboard = OAuth(app).register(
    "switchboard",
    client_id=os.environ["APP_CLIENT_ID"],
    client_secret=os.environ["APP_CLIENT_SECRET"],
    server_metadata_url=f"{service}/.well-known/oauth-authorization-server",
    api_base_url=f"{service}/api/v1/",
    client_kwargs={
        "scope": "messages.send conversations.read",
        "code_challenge_method": "S256",
        "token_endpoint_auth_method": os.environ["AUTH_METHOD"],
    },
)


@app.get("/connect")
def connect():
    return switchboard.authorize_redirect(os.environ["REDIRECT_URI"])


@app.get("/callback")
def callback():
    try:
        token = switchboard.authorize_access_token()
    except OAuthError as error:
        return {"refused": {"error": error.error, "description": error.description}}
    try:
        again = switchboard.fetch_access_token(os.environ["REDIRECT_URI"], code=request.args["code"], code_verifier="x" * 43)
    except OAuthError as error:
        again = error.error
    return {"me": switchboard.get("me", token=token).json(), "again": again}


browser = app.test_client()
print(browser.get("/connect").location, flush=True)
print(json.dumps(browser.get("/callback?" + input().partition("?")[2]).json))
