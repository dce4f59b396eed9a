// The transport: credentials, retries and pages.
import { type ApiCall, Operations, type Page } from "./operations.js";
import type { Connection } from "./types.js";

const VERSION = "0.1.0";
const TEMPORARY = [429, 500, 502, 503, 504];

export interface SwitchboardOptions {
  /** Milliseconds to wait for an answer; 30,000 by default. */
  timeout?: number;
  /** How often a call is repeated; 3 by default. */
  maxRetries?: number;
  /** The longest wait in milliseconds; 60,000 by default. A longer one throws the error instead. */
  maxWait?: number;
  /** Waits for this many milliseconds. */
  sleep?: (milliseconds: number) => Promise<void>;
}

/** An answer of the API that is an error. */
export class ApiError extends Error {
  /** The machine-readable code. */
  readonly code: string;
  /** The id to quote to support. */
  readonly requestId: string;
  /** The faults of a 422. */
  readonly details: Array<{ field: string; code: string; message: string }>;

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The whole answer. */
    readonly body: { [field: string]: unknown },
    /** The seconds in `Retry-After`. */
    readonly retryAfter: number | undefined,
  ) {
    const { error = "the answer is not JSON", code = "", request_id = "", details = [] } = body;
    super(`${error} (${status} ${code}, ${request_id})`);
    this.name = "ApiError";
    this.code = String(code);
    this.requestId = String(request_id);
    this.details = Array.isArray(details) ? details : [];
  }
}

/**
 * The API of a Switchboard server, with the credentials of a key.
 *
 * A call is repeated after a lost connection, a 429 and a 5xx: after the time in `Retry-After`, or else after a growing
 * pause. A POST carries an `Idempotency-Key`, so that it is done once.
 */
export class Switchboard extends Operations {
  readonly #base: string;
  readonly #credentials: { [header: string]: string };
  readonly #options: Required<SwitchboardOptions>;

  constructor(baseUrl: string, clientId: string, clientSecret: string, options: SwitchboardOptions = {}) {
    super();
    this.#base = baseUrl.replace(/\/+$/, "");
    this.#credentials = { "x-client-id": clientId, "x-client-secret": clientSecret };
    const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
    this.#options = { timeout: 30_000, maxRetries: 3, maxWait: 60_000, sleep, ...options };
  }

  /** Returns a client with the key that a handshake created. */
  static fromConnection(baseUrl: string, connection: Connection, options?: SwitchboardOptions): Switchboard {
    return new Switchboard(baseUrl, connection.client_id, connection.client_secret, options);
  }

  protected async request<T>(call: ApiCall): Promise<T> {
    const { method, path, query = {}, body, isIdempotent = false, options } = call;
    const { timeout, maxRetries, maxWait, sleep } = this.#options;
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
    const url = `${this.#base}${path}${search && `?${search}`}`;
    const headers: { [header: string]: string } = {
      ...this.#credentials,
      accept: "application/json",
      "user-agent": `switchboard-client-typescript/${VERSION}`,
    };
    if (isIdempotent) headers["idempotency-key"] = options.idempotencyKey ?? crypto.randomUUID();
    if (body !== undefined) headers["content-type"] = "application/json";
    const content = body === undefined ? undefined : JSON.stringify(body);
    for (let attempt = 0; ; attempt++) {
      let wait = Math.min(500 * 2 ** attempt, 8_000) * (0.5 + Math.random() / 2);
      const signals = [AbortSignal.timeout(timeout), ...(options.signal ? [options.signal] : [])];
      let failure: unknown;
      try {
        // A redirect would send the credentials to another address.
        const init: RequestInit = { method, headers, body: content, redirect: "manual", signal: AbortSignal.any(signals) };
        const response = await fetch(url, init);
        if (response.ok && call.isFile) return new Uint8Array(await response.arrayBuffer()) as unknown as T;
        const text = await response.text();
        if (response.ok) return JSON.parse(text) as T;
        const error = apiError(response, text);
        wait = error.retryAfter === undefined ? wait : error.retryAfter * 1000;
        const isTemporary = TEMPORARY.includes(error.status) || error.code === "idempotency_in_progress";
        if (!isTemporary || wait > maxWait) throw error;
        failure = error;
      } catch (error) {
        const isFinal = (error instanceof ApiError && error !== failure) || error instanceof SyntaxError;
        if (isFinal || options.signal?.aborted) throw error;
        failure = error;
      }
      if (attempt >= maxRetries) throw failure;
      await sleep(wait);
    }
  }

  protected async *pages<T>(
    parameter: "after" | "offset",
    query: object,
    list: (query: object) => Promise<Page<T>>,
  ): AsyncGenerator<T, void> {
    for (;;) {
      const page = await list(query);
      yield* page.data;
      const position: { has_more?: boolean; next_after?: unknown; next_offset?: unknown } = page.pagination ?? page;
      if (!position.has_more) return;
      query = { ...query, [parameter]: position[`next_${parameter}`] };
    }
  }
}

function apiError(response: Response, text: string): ApiError {
  let body: { [field: string]: unknown } = {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null) body = parsed as { [field: string]: unknown };
  } catch {
    // A proxy answered.
  }
  const seconds = response.headers.get("retry-after") ?? "";
  return new ApiError(response.status, body, /^\d+$/.test(seconds) ? Number(seconds) : undefined);
}
