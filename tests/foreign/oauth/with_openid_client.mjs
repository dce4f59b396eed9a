// Connect with openid-client 6, in the steps of its README.
import * as client from "openid-client";
import { report, settings, visit } from "./program.mjs";

const authentication = {
  client_secret_basic: client.ClientSecretBasic,
  client_secret_post: client.ClientSecretPost,
}[settings.method](settings.clientSecret);
const config = await client.discovery(new URL(settings.issuer), settings.clientId, undefined, authentication, {
  algorithm: "oauth2",
  // The library refuses plain HTTP unless it is told otherwise. The server of the tests is on the loopback address.
  execute: [client.allowInsecureRequests],
});
if (!config.serverMetadata().supportsPKCE()) throw new Error("no PKCE");

const pkceCodeVerifier = client.randomPKCECodeVerifier();
const expectedState = client.randomState();
const callback = await visit(
  client.buildAuthorizationUrl(config, {
    redirect_uri: settings.redirectUri,
    scope: settings.scope,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state: expectedState,
  }),
);

await report(
  async () => {
    const checks = { pkceCodeVerifier, expectedState };
    const token = await client.authorizationCodeGrant(config, callback, checks);
    const address = new URL("/api/v1/me", settings.issuer);
    const me = await client.fetchProtectedResource(config, token.access_token, address, "GET");
    const again = await client.authorizationCodeGrant(config, callback, checks).catch((error) => error.error);
    return { me: await me.json(), again };
  },
  (error) => error.error && { error: error.error, description: error.error_description },
);
