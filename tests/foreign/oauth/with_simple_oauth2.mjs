// Connect with simple-oauth2. The library builds the URL and exchanges the code; discovery, `state`, the error redirect
// and the PKCE verifier are left to the program, as its README says.
import { createHash, randomBytes } from "node:crypto";
import { AuthorizationCode } from "simple-oauth2";
import { report, settings, visit } from "./program.mjs";

const discovered = await fetch(new URL("/.well-known/oauth-authorization-server", settings.issuer));
const server = await discovered.json();
const [authorize, token] = [new URL(server.authorization_endpoint), new URL(server.token_endpoint)];
const client = new AuthorizationCode({
  client: { id: settings.clientId, secret: settings.clientSecret },
  auth: {
    authorizeHost: authorize.origin,
    authorizePath: authorize.pathname,
    tokenHost: token.origin,
    tokenPath: token.pathname,
  },
  options: { authorizationMethod: { client_secret_basic: "header", client_secret_post: "body" }[settings.method] },
});

const verifier = randomBytes(32).toString("base64url");
const state = randomBytes(16).toString("hex");
const callback = await visit(
  client.authorizeURL({
    redirect_uri: settings.redirectUri,
    scope: settings.scope.split(" "),
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  }),
);

await report(
  async () => {
    const { code, error, error_description: description, state: returned } = Object.fromEntries(callback.searchParams);
    if (returned !== state) throw new Error("the state is another one");
    if (error) return { refused: { error, description } };
    const request = { code, redirect_uri: settings.redirectUri, code_verifier: verifier };
    const accessToken = await client.getToken(request);
    if (accessToken.expired()) throw new Error("the token has expired");
    const { token_type: type, access_token: value } = accessToken.token;
    const headers = { authorization: `${type} ${value}` };
    const me = await fetch(new URL("/api/v1/me", settings.issuer), { headers });
    const again = await client.getToken(request).catch((failure) => failure.data.payload.error);
    return { me: await me.json(), again };
  },
  () => undefined,
);
