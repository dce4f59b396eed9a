// The Connect handshake: OAuth 2.0 with an authorization code and PKCE.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Connection } from "./types.js";

/** A handshake that failed. `error` is the code of RFC 6749, such as `access_denied`. */
export class ConnectError extends Error {
  override name = "ConnectError";

  constructor(readonly error: string, readonly description: string) {
    super(`${error}: ${description}`);
  }
}

/** What to keep on the server, in the session of the visitor, until the browser comes back. */
export interface Handshake {
  url: string;
  state: string;
  codeVerifier: string;
  redirectUri: string;
}

/** The handshakes of an application. */
export class Connect {
  readonly #issuer: string;
  readonly #clientId: string;
  readonly #clientSecret: string;

  /** @param issuer The base URL of the server. */
  constructor(issuer: string, clientId: string, clientSecret: string) {
    this.#issuer = issuer.replace(/\/+$/, "");
    this.#clientId = clientId;
    this.#clientSecret = clientSecret;
  }

  /** Returns a new handshake. Keep it, and send the browser to its `url`. */
  begin(redirectUri: string, scopes: string[]): Handshake {
    const state = randomBytes(32).toString("base64url");
    const codeVerifier = randomBytes(64).toString("base64url");
    const query = new URLSearchParams({
      response_type: "code",
      client_id: this.#clientId,
      redirect_uri: redirectUri,
      scope: scopes.join(" "),
      state,
      code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
      code_challenge_method: "S256",
    });
    return { url: `${this.#issuer}/connect/authorize?${query}`, state, codeVerifier, redirectUri };
  }

  /**
   * Returns the connection for the URL at which the browser came back. Store its secret: it is shown once.
   *
   * Throws `ConnectError` if the member refused, and if the URL does not belong to the handshake.
   */
  async finish(handshake: Handshake, callbackUrl: string): Promise<Connection> {
    const query = new URL(callbackUrl).searchParams;
    const [given, kept] = [Buffer.from(query.get("state") ?? ""), Buffer.from(handshake.state)];
    if (given.length !== kept.length || !timingSafeEqual(given, kept)) {
      throw new ConnectError("invalid_state", "the browser did not begin this handshake");
    }
    if (query.get("iss") !== this.#issuer) {
      throw new ConnectError("invalid_issuer", "the answer comes from another server");
    }
    const refused = query.get("error");
    if (refused !== null) throw new ConnectError(refused, query.get("error_description") ?? "");
    // A code works once, so the exchange is never repeated.
    const response = await fetch(`${this.#issuer}/connect/token`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      redirect: "manual",
      body: JSON.stringify({
        grant_type: "authorization_code",
        code: query.get("code") ?? "",
        code_verifier: handshake.codeVerifier,
        redirect_uri: handshake.redirectUri,
        client_id: this.#clientId,
        client_secret: this.#clientSecret,
      }),
    });
    const answer = await response.json().catch(() => ({}));
    if (response.status !== 200) {
      const { error = "server_error", error_description = `status ${response.status}` } = answer;
      throw new ConnectError(error, error_description);
    }
    return answer as Connection;
  }
}
