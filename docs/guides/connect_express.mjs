// A partner's server with a Connect button, in Express: npm install express express-session openid-client
import { randomUUID } from "node:crypto";
import express from "express";
import session from "express-session";
import * as oauth from "openid-client";

const { SWITCHBOARD = "http://localhost:8080", APP_CLIENT_ID, APP_CLIENT_SECRET, PORT = "3000" } = process.env;
const REDIRECT_URI = process.env.REDIRECT_URI ?? `http://localhost:${PORT}/callback`;

// The library reads the server's metadata. Plain HTTP is for a server on your own machine.
const config = await oauth.discovery(new URL(SWITCHBOARD), APP_CLIENT_ID, APP_CLIENT_SECRET, undefined, {
  algorithm: "oauth2",
  execute: SWITCHBOARD.startsWith("http://") ? [oauth.allowInsecureRequests] : [],
});

// Sessions are in the memory of this server. Keep connections in your database instead: a secret is not shown again.
const cookie = { httpOnly: true, sameSite: "lax" };
const app = express();
app.use(session({ secret: randomUUID(), resave: false, saveUninitialized: false, cookie }));
app.use(express.urlencoded({ extended: false }));

const escaped = (text) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
const page = (content) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>My CRM</title>${content}</html>`;

// 1. The page with the button. State and verifier stay on the server, for this visitor; only the challenge is sent.
app.get("/", async (request, response) => {
  const { connection } = request.session;
  if (connection) {
    return response.send(
      page(`<p>Connected to ${escaped(connection.organization.name)}.</p>
        <form method="post" action="/send">
          <input type="hidden" name="key" value="${randomUUID()}">
          <input name="to" value="+12025550100" aria-label="Phone number">
          <input name="text" value="Hello from my CRM" aria-label="Text">
          <button>Send</button>
        </form>`),
    );
  }
  request.session.handshake ??= { state: oauth.randomState(), verifier: oauth.randomPKCECodeVerifier() };
  const { state, verifier } = request.session.handshake;
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: REDIRECT_URI,
    scope: "messages.send conversations.read",
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  response.send(
    page(`<script defer src="${escaped(SWITCHBOARD)}/connect/button.js"></script>
      <button data-service-connect data-authorize-url="${escaped(url)}">Connect</button>`),
  );
});

// 2. The browser comes back. The library checks the issuer, and exchanges the code, which works once.
app.get("/callback", async (request, response) => {
  const { handshake } = request.session;
  if (!handshake) return response.redirect("/");
  const refuse = (reason) =>
    response.status(400).send(page(`<p>Not connected: ${escaped(reason)}</p><a href="/">Try again</a>`));
  // Anybody can make a link to this page. Only one with the visitor's state ends the handshake or shows its error.
  if (request.query.state !== handshake.state) return refuse("the state is not the one of this visitor.");
  delete request.session.handshake;
  try {
    const callback = new URL(request.originalUrl, REDIRECT_URI);
    const checks = { expectedState: handshake.state, pkceCodeVerifier: handshake.verifier };
    request.session.connection = await oauth.authorizationCodeGrant(config, callback, checks);
  } catch (error) {
    return refuse(error.error_description ?? error.message);
  }
  response.redirect("/");
});

// 3. A send for the business. The key of the form makes a form that is posted twice send once.
app.post("/send", async (request, response) => {
  const { connection } = request.session;
  if (!connection) return response.redirect("/");
  const answer = await fetch(`${SWITCHBOARD}/api/v1/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${connection.access_token}`,
      "content-type": "application/json",
      "idempotency-key": request.body.key,
    },
    body: JSON.stringify({ type: "text", phone_number: request.body.to, text: request.body.text }),
  });
  const message = await answer.json();
  // 401: the business disconnected, or connected again. Any other error leaves the connection as it is.
  if (answer.status === 401) delete request.session.connection;
  const outcome = answer.ok ? `Accepted: ${message.id}` : `Not sent: ${message.error}`;
  response.status(answer.ok ? 200 : 502).send(page(`<p>${escaped(outcome)}</p><a href="/">Back</a>`));
});

app.listen(Number(PORT), "127.0.0.1", (error) => {
  if (error) throw error;
  console.log(`Open http://localhost:${PORT}`);
});
