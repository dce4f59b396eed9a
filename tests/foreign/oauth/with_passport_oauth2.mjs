// Connect with passport-oauth2 in an Express application. The strategy keeps `state` and the PKCE verifier in the
// session, and sends the application's pair in the body only. It has no discovery.
import express from "express";
import session from "express-session";
import passport from "passport";
import OAuth2Strategy from "passport-oauth2";
import { report, settings, visit } from "./program.mjs";

const discovered = await fetch(new URL("/.well-known/oauth-authorization-server", settings.issuer));
const server = await discovered.json();
const strategy = new OAuth2Strategy(
  {
    authorizationURL: server.authorization_endpoint,
    tokenURL: server.token_endpoint,
    clientID: settings.clientId,
    clientSecret: settings.clientSecret,
    callbackURL: settings.redirectUri,
    scope: settings.scope.split(" "),
    pkce: true,
    state: true,
  },
  (accessToken, refreshToken, profile, done) => done(null, profile),
);
// The two extension points that the library documents: the call that reads who connected, and its header.
strategy._oauth2.useAuthorizationHeaderforGET(true);
strategy.userProfile = function (accessToken, done) {
  const address = new URL("/api/v1/me", settings.issuer).href;
  this._oauth2.get(address, accessToken, (error, body) => (error ? done(error) : done(null, JSON.parse(body))));
};
passport.use("switchboard", strategy);

const app = express();
app.use(session({ secret: "a secret of the application", resave: false, saveUninitialized: false }));
app.get("/connect", passport.authenticate("switchboard", { session: false }));
app.get("/callback", (request, response, next) => {
  const answer = (error, user, info) => {
    if (error) return next(error);
    response.json(user ? { me: user } : { refused: { error: "access_denied", description: info.message } });
  };
  passport.authenticate("switchboard", { session: false }, answer)(request, response, next);
});
app.use((error, request, response, next) => {
  response.status(500).json({ refused: { error: error.code ?? String(error), description: error.message } });
});

const listening = app.listen(0, "127.0.0.1");
await new Promise((resolve) => listening.once("listening", resolve));
const own = `http://127.0.0.1:${listening.address().port}`;
const begun = await fetch(`${own}/connect`, { redirect: "manual" });
const cookie = begun.headers.getSetCookie().map((it) => it.split(";")[0]).join("; ");
const callback = await visit(begun.headers.get("location"));

await report(
  async () => (await fetch(`${own}/callback${callback.search}`, { headers: { cookie } })).json(),
  () => undefined,
);
