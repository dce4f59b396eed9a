// Verification of webhooks, after Standard Webhooks.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Event } from "./types.js";

const TOLERANCE_SECONDS = 5 * 60;

type RequestHeaders = Headers | { [name: string]: string | string[] | undefined };

/** The request does not come from the server, or it is old. */
export class WebhookVerificationError extends Error {
  override name = "WebhookVerificationError";
}

/** The signing secret of an endpoint. */
export class Webhook {
  readonly #key: Buffer;
  readonly #now: () => number;

  constructor(secret: string, now: () => number = Date.now) {
    const digits = secret.replace(/^whsec_/, "");
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(digits)) {
      throw new TypeError("a signing secret begins with whsec_ and is base64 after it");
    }
    this.#key = Buffer.from(digits, "base64");
    this.#now = now;
  }

  /**
   * Returns the event in a request, if the signature is right and not older than five minutes.
   *
   * `body` is the body as it arrived: an object that was parsed and written again has other bytes.
   */
  verify(body: string | Uint8Array, headers: RequestHeaders): Event {
    const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((it) => header(headers, `webhook-${it}`));
    const age = this.#now() / 1000 - Number(timestamp);
    if (!/^\d+$/.test(timestamp!) || Math.abs(age) > TOLERANCE_SECONDS) {
      throw new WebhookVerificationError("webhook-timestamp is more than five minutes away");
    }
    const content = typeof body === "string" ? Buffer.from(body) : body;
    const expected = createHmac("sha256", this.#key).update(`${id}.${timestamp}.`).update(content).digest();
    // After a rotation there are two signatures for a day.
    const matches = signatures!.split(" ").filter((it) => {
      const [version, digits = ""] = it.split(",", 2);
      const given = Buffer.from(digits, "base64");
      return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
    });
    if (matches.length === 0) throw new WebhookVerificationError("no signature was made with this secret");
    return JSON.parse(Buffer.from(content).toString("utf8")) as Event;
  }
}

function header(headers: RequestHeaders, name: string): string {
  let value: string | string[] | null | undefined;
  if (headers instanceof Headers) {
    value = headers.get(name);
  } else {
    value = Object.entries(headers).find(([it]) => it.toLowerCase() === name)?.[1];
  }
  if (typeof value !== "string") throw new WebhookVerificationError(`the header ${name} is missing`);
  return value;
}
