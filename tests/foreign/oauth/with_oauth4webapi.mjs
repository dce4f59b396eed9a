// Connect with oauth4webapi, in the steps of its example `examples/oauth.ts`.
import * as oauth from "oauth4webapi";
import { report, settings, visit } from "./program.mjs";

// The library refuses plain HTTP unless it is told otherwise. The server of the tests is on the loopback address.
const insecure = { [oauth.allowInsecureRequests]: true };
const issuer = new URL(settings.issuer);
const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
const server = await oauth.processDiscoveryResponse(issuer, discovered);
if (!server.code_challenge_methods_supported.includes("S256")) throw new Error("no PKCE");

const client = { client_id: settings.clientId };
const authentication = {
  client_secret_basic: oauth.ClientSecretBasic,
  client_secret_post: oauth.ClientSecretPost,
}[settings.method](settings.clientSecret);
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const authorize = new URL(server.authorization_endpoint);
authorize.search = new URLSearchParams({
  client_id: client.client_id,
  redirect_uri: settings.redirectUri,
  response_type: "code",
  scope: settings.scope,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: "S256",
  state,
});
const callback = await visit(authorize);

async function exchange(parameters) {
  const { redirectUri } = settings;
  const response = await oauth.authorizationCodeGrantRequest(
    server, client, authentication, parameters, redirectUri, verifier, insecure,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

await report(
  async () => {
    const parameters = oauth.validateAuthResponse(server, client, callback, state);
    const token = await exchange(parameters);
    const me = await oauth.protectedResourceRequest(
      token.access_token, "GET", new URL("/api/v1/me", issuer), undefined, undefined, insecure,
    );
    const again = await exchange(parameters).catch((error) => error.error);
    const revoked = await oauth
      .protectedResourceRequest("swk_x.sws_x", "GET", new URL("/api/v1/me", issuer), undefined, undefined, insecure)
      .catch((error) => error.cause.find((it) => it.scheme === "bearer").parameters.error);
    return { me: await me.json(), again, revoked };
  },
  (error) => error.error && { error: error.error, description: error.error_description },
);
