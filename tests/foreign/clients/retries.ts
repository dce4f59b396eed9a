// Calls a server that fails in the ways that the test scripted, with a clock that does not wait.
import { ApiError, type SendMessage, Switchboard } from "switchboard-client";

const waits: number[] = [];
const client = new Switchboard(process.env.SWITCHBOARD!, "swk_1", "sws_1", {
  sleep: async (milliseconds) => void waits.push(milliseconds / 1000),
});
const text: SendMessage = { type: "text", phone_number: "+1", text: "é" };

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("it succeeded");
}

const message = await client.sendMessage(text);
const [first, second] = waits;
console.log("id" in message && message.id, "waited", first, "then", second! > 0 && second! < 5 ? "a moment" : second);
const wrong = await refusal(client.sendMessage(text, { idempotencyKey: "order-1042" }));
console.log(wrong.status, wrong.code);
const busy = await refusal(client.sendMessage(text));
console.log(busy.status, busy.code);
const throttled = await refusal(client.getMe());
console.log(throttled.status, "retry after", throttled.retryAfter);
const redirected = await refusal(client.listContacts({ phone_number: "+1", opted_out: false }));
console.log(redirected.status);
