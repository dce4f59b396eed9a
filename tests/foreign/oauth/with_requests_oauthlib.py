"""Connect with requests-oauthlib, in the steps of its documentation. It has no discovery of its own."""

import json
import os

import requests
from oauthlib.oauth2 import OAuth2Error
from requests_oauthlib import OAuth2Session

service = os.environ["SWITCHBOARD"]
server = requests.get(f"{service}/.well-known/oauth-authorization-server").json()
client = OAuth2Session(
    os.environ["APP_CLIENT_ID"],
    redirect_uri=os.environ["REDIRECT_URI"],
    scope=["messages.send", "conversations.read"],
    pkce="S256",
)
url, state = client.authorization_url(server["authorization_endpoint"])
print(url, flush=True)
response = input()


def exchange():
    return client.fetch_token(
        server["token_endpoint"],
        authorization_response=response,
        client_secret=os.environ["APP_CLIENT_SECRET"],
        # Without this the library sends the pair by HTTP Basic.
        include_client_id=os.environ["AUTH_METHOD"] == "client_secret_post",
    )


try:
    exchange()
    outcome = {"me": client.get(f"{service}/api/v1/me").json()}
    try:
        exchange()
    except OAuth2Error as error:
        outcome["again"] = error.error
except OAuth2Error as error:
    outcome = {"refused": {"error": error.error, "description": error.description}}
print(json.dumps(outcome))
