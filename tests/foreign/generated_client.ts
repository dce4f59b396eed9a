// Uses the types that openapi-typescript generated from the server's OpenAPI document with openapi-fetch, as a partner
// would. The compiler checks that each variant of an event and of a response has its own fields.
import createClient from "openapi-fetch";
import type { components, paths } from "./switchboard.js";

type Schemas = components["schemas"];
type Send = Schemas["SendMessage"];

const [echoes, taps] = ["+12025550100", "+12025550108"];
const interactive: Schemas["Interactive"] = {
  type: "button",
  body: { text: "Is Tuesday fine?" },
  action: {
    buttons: [
      { type: "reply", reply: { id: "yes", title: "Yes" } },
      { type: "reply", reply: { id: "no", title: "No" } },
    ],
  },
};
const components: Schemas["TemplateComponentInput"][] = [
  { type: "body", parameters: [{ type: "text", text: "Ada" }, { type: "text", text: "1042" }] },
];

function client(pair: string) {
  const [id, secret] = pair.split(":");
  const headers = { "x-client-id": id, "x-client-secret": secret };
  return createClient<paths>({ baseUrl: process.env.SWITCHBOARD!, headers });
}

function assert(holds: unknown, what: unknown): asserts holds {
  if (!holds) throw new Error(JSON.stringify(what));
}

/** Describes an event. It compiles only if `type` determines the type of `data`. */
function subject(event: Schemas["Event"]): string {
  switch (event.type) {
    case "message.received":
    case "message.queued":
    case "message.sent":
    case "message.delivered":
    case "message.read":
    case "message.failed":
    case "message.edited":
    case "message.deleted":
    case "message.transcribed":
      return event.data.conversation_id;
    case "message.canceled":
      return event.data.send_at;
    case "template.submitted":
    case "template.approved":
    case "template.rejected":
    case "template.paused":
    case "template.disabled":
    case "template.archived":
    case "template.deleted":
      return event.data.name;
    case "template.updated":
      return event.data.change;
    case "account.updated":
      return event.data.health.state;
    case "conversation.created":
    case "conversation.agent_paused":
    case "conversation.agent_resumed":
      return event.data.ai_agent;
    case "conversation.updated":
      return event.data.status;
    case "conversation.window_closing":
      return event.data.window_closes_at;
    case "note.created":
      return event.data.text;
    case "conversation.handover_requested":
      return event.data.reason;
    case "agent.turn_finished":
      return event.data.state;
    case "contact.created":
    case "contact.updated":
    case "contact.opted_out":
    case "contact.opted_in":
      return event.data.phone_number ?? event.data.channel_user_id ?? event.data.id;
    case "contact.deleted":
      return event.data.contact_id;
    case "contact.merged":
      return event.data.merged_contact_id;
    case "connection.created":
    case "connection.disconnected":
      return event.data.application.name;
    case "plan.limit_reached":
      return event.data.resource;
    case "key.expiring":
      return event.data.expires_at;
    case "endpoint.failing":
    case "endpoint.disabled":
    case "endpoint.recovered":
      return event.data.url;
    case "webhook.test":
      return event.data.endpoint_id;
    default:
      return event satisfies never;
  }
}

async function send(by: ReturnType<typeof client>) {
  const bodies: Send[] = [
    { type: "text", phone_number: taps, text: "Your order is on its way." },
    { type: "media", phone_number: taps, media_url: "https://example.com/receipt.pdf", caption: "Your receipt" },
    { type: "interactive", phone_number: taps, interactive },
    { type: "template", phone_number: taps, template_name: "order_shipped", language: "en_US", components },
  ];
  for (const body of bodies) {
    const { data, error } = await by.POST("/api/v1/messages", { body });
    assert(data && "id" in data && data.type === body.type, error ?? data);
    const { data: message } = await by.GET("/api/v1/messages/{id}", { params: { path: { id: data.id } } });
    assert(message?.id === data.id, message);
  }
  const dry: Send = { type: "interactive", phone_number: echoes, interactive, dry_run: true };
  const { data: checked } = await by.POST("/api/v1/messages", { body: dry });
  assert(checked && "valid" in checked && checked.rendered.includes("[Yes]"), checked);
  const to = { to: echoes, template_name: "order_shipped", language: "en_US", components };
  const { data: sent } = await by.POST("/api/v1/messages/template", { body: to });
  assert(sent && "id" in sent, sent);

  const { error: wrong } = await by.POST("/api/v1/messages", { body: { type: "text" } });
  assert(wrong?.code === "validation_failed", wrong);
  const fields = wrong.details.map((it) => it.field);
  assert(fields.includes("phone_number") && fields.includes("text"), wrong);

  const throttled = client(process.env.THROTTLED!);
  const query = { phone_number: echoes };
  await throttled.GET("/api/v1/conversations/history", { params: { query } });
  const { error: refused } = await throttled.GET("/api/v1/conversations/history", { params: { query } });
  assert(refused?.code === "rate_limited" && refused.retry_after >= 1, refused);
}

async function read(by: ReturnType<typeof client>) {
  const query = { phone_number: taps };
  const { data: history } = await by.GET("/api/v1/conversations/history", { params: { query } });
  const tapped = history?.data.map((it) => it.interactive).find((it) => it?.type === "button_reply");
  assert(tapped?.type === "button_reply" && tapped.button_reply?.id === "yes", history);

  const seen = new Set<string>();
  for (let after = 0, more = true; more; ) {
    const { data: page } = await by.GET("/api/v1/events", { params: { query: { after } } });
    assert(page, "a page of events");
    for (const event of page.data) {
      assert(subject(event), event);
      seen.add(event.type);
    }
    ({ next_after: after, has_more: more } = page.pagination);
  }
  assert(seen.has("message.received") && seen.has("template.approved"), [...seen]);
  console.log([...seen].sort());
}

const part = { send, read }[process.argv[2] as "send" | "read"];
await part(client(process.env.KEY!));
