// The handshake from a server, with Node 18 or newer and nothing else.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createInterface } from "node:readline/promises";

const { SWITCHBOARD = "http://localhost:8080", APP_CLIENT_ID, APP_CLIENT_SECRET, REDIRECT_URI } = process.env;

// 1. Begin. Keep state and verifier on the server, for this visitor; only the challenge travels.
function begin() {
  const state = randomBytes(16).toString("hex");
  const verifier = randomBytes(64).toString("base64url");
  const query = new URLSearchParams({
    client_id: APP_CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    scope: "messages.send conversations.read",
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  return { url: `${SWITCHBOARD}/connect/authorize?${query}`, kept: { state, verifier } };
}

// 2. The visitor comes back to the redirect URL. Reject anything that does not carry the state.
function codeOf(callback, { state }) {
  const query = new URL(callback).searchParams;
  const [said, kept] = [Buffer.from(query.get("state") ?? ""), Buffer.from(state)];
  if (said.length !== kept.length || !timingSafeEqual(said, kept)) throw new Error("this was not begun here");
  if (query.has("error")) throw new Error(`not connected: ${query.get("error")}`);
  return query.get("code");
}

// 3. Exchange the code at once, and once. What comes back is a key for this one business: store it.
async function exchange(code, { verifier }) {
  const response = await fetch(`${SWITCHBOARD}/connect/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code, code_verifier: verifier, client_id: APP_CLIENT_ID, client_secret: APP_CLIENT_SECRET }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.error}: ${answer.error_description}`);
  return answer;
}

// 4. The first call tells whether the plan lets you in: a 403 means "not now", a 401 "connect again".
async function call(connection, method, path) {
  const { client_id, client_secret } = connection;
  const headers = { "x-client-id": client_id, "x-client-secret": client_secret };
  return (await fetch(SWITCHBOARD + path, { method, headers })).json();
}

const { url, kept } = begin();
console.log(url);
const callback = (await createInterface({ input: process.stdin })[Symbol.asyncIterator]().next()).value;
const connection = await exchange(codeOf(callback, kept), kept);
console.log(JSON.stringify(await call(connection, "GET", "/api/v1/me")));
process.exit();
