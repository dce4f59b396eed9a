// Receives webhooks in Express: npm install express standardwebhooks
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import express from "express";
import { Webhook } from "standardwebhooks";

const { WEBHOOK_SECRET, PORT = "3000", JOURNAL = "events.jsonl" } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);

// The journal has a line for each event that was received, and one for each that was handled. A table whose key is the
// id of the event does the same.
const received = new Set();
const waiting = new Map();

function read(entry) {
  if ("handled" in entry) {
    waiting.delete(entry.handled);
  } else {
    received.add(entry.id);
    waiting.set(entry.id, entry);
  }
}

function write(entry) {
  try {
    appendFileSync(JOURNAL, `${JSON.stringify(entry)}\n`, { flush: true });
  } catch (error) {
    // The line may be incomplete, and nothing can follow it. The next start removes it.
    console.error(error);
    process.exit(1);
  }
  read(entry);
}

// Your work. It may take its time, because the event is answered already.
async function handle({ sequence, type, data }) {
  if (type === "message.received") {
    const { name, username, phone_number } = data.contact ?? {};
    console.log(`${sequence} ${name ?? username ?? phone_number}: ${data.text ?? data.type}`);
  } else {
    console.log(`${sequence} ${type} ${data.id ?? ""}`);
  }
}

// Handles the events that wait, one after the other. One that fails is tried again with the next event.
let working = false;
async function work() {
  if (working) return;
  working = true;
  for (const event of waiting.values()) {
    try {
      await handle(event);
      write({ handled: event.id });
    } catch (error) {
      console.error(`${event.id} was not handled:`, error);
    }
  }
  working = false;
}

const app = express();
// Errors are answered without their stack.
app.set("env", "production");
// The signature is that of the body as it arrived: an object that was parsed and written again has other bytes.
app.post("/webhooks", express.raw({ type: "*/*", limit: "1mb" }), (request, response) => {
  let event;
  try {
    // The library also refuses a timestamp that is more than five minutes away.
    event = webhook.verify(request.body ?? "", request.headers);
  } catch (error) {
    return response.status(400).send(error.message);
  }
  // The same event may arrive again. It is stored before the answer, which says that you have it.
  if (!received.has(event.id)) write(event);
  response.status(204).end();
  void work();
});

if (existsSync(JOURNAL)) {
  // A last line without its end was not written completely. Its event was not accepted, or is handled again.
  const journal = readFileSync(JOURNAL);
  const end = journal.lastIndexOf("\n") + 1;
  truncateSync(JOURNAL, end);
  for (const line of journal.toString("utf8", 0, end).split("\n")) if (line) read(JSON.parse(line));
}
app.listen(Number(PORT), "127.0.0.1", (error) => {
  if (error) throw error;
  console.log(`Receiving at http://localhost:${PORT}/webhooks`);
  void work();
});
