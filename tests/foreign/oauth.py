# Connect with Authlib, a standard OAuth client, used as its documentation shows.
import json
import os

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

service = os.environ["SWITCHBOARD"]
client = OAuth2Session(
    os.environ["APP_CLIENT_ID"],
    os.environ["APP_CLIENT_SECRET"],
    redirect_uri=os.environ["REDIRECT_URI"],
    scope="messages.send conversations.read",
    code_challenge_method="S256",
    token_endpoint_auth_method="client_secret_post",
)
verifier = generate_token(64)
url, state = client.create_authorization_url(f"{service}/connect/authorize", code_verifier=verifier)
print(url, flush=True)
token = client.fetch_token(
    f"{service}/connect/token", authorization_response=input(), state=state, code_verifier=verifier
)
assert token["scope"] == "messages.send conversations.read", token
headers = {"x-client-id": token["client_id"], "x-client-secret": token["client_secret"]}
print(json.dumps(requests.get(f"{service}/api/v1/me", headers=headers).json()))
