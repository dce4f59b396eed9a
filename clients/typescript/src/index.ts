export { ApiError, Switchboard, type SwitchboardOptions } from "./client.js";
export { Connect, ConnectError, type Handshake } from "./connect.js";
export { Webhook, WebhookVerificationError } from "./webhooks.js";
export type { CallOptions, PostOptions } from "./operations.js";
export type * from "./types.js";
