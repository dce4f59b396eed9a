#!/bin/sh
# The handshake from a server, with curl and openssl.
set -eu
: "${SWITCHBOARD:=http://localhost:8080}" "${APP_CLIENT_ID:?}" "${APP_CLIENT_SECRET:?}" "${REDIRECT_URI:?}"

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
escaped() { printf %s "$1" | od -An -v -tx1 | tr -d '\n' | sed 's/ /%/g'; }

# 1. Begin. Keep state and verifier on the server, for this visitor; only the challenge travels.
state=$(openssl rand -hex 16)
verifier=$(openssl rand 64 | base64url)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | base64url)
echo "$SWITCHBOARD/connect/authorize?client_id=$APP_CLIENT_ID&redirect_uri=$(escaped "$REDIRECT_URI")&scope=messages.send%20conversations.read&state=$state&code_challenge=$challenge&code_challenge_method=S256"

# 2. The visitor comes back to the redirect URL. Reject anything that does not carry the state.
read -r callback
value() { printf %s "${callback#*\?}" | tr '&' '\n' | sed -n "s/^$1=//p"; }
[ "$(value state)" = "$state" ] || { echo "this was not begun here" >&2; exit 1; }
code=$(value code)
[ -n "$code" ] || { echo "not connected: $(value error)" >&2; exit 1; }

# 3. Exchange the code at once, and once. What comes back is a key for this one business: store it.
connection=$(curl -sS --fail-with-body "$SWITCHBOARD/connect/token" -H 'Content-Type: application/json' -d "{
  \"code\": \"$code\", \"code_verifier\": \"$verifier\",
  \"client_id\": \"$APP_CLIENT_ID\", \"client_secret\": \"$APP_CLIENT_SECRET\"}")
field() { printf %s "$connection" | sed -n "s/^{\"client_id\":\"\([^\"]*\)\",\"client_secret\":\"\([^\"]*\)\".*/\\$1/p"; }

# 4. The first call tells whether the plan lets you in: a 403 means "not now", a 401 "connect again".
curl -sS "$SWITCHBOARD/api/v1/me" -H "x-client-id: $(field 1)" -H "x-client-secret: $(field 2)"
