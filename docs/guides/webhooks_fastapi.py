# Receives webhooks in FastAPI: pip install fastapi uvicorn standardwebhooks
import json, os, queue, sys, threading, traceback

import uvicorn
from fastapi import FastAPI, Request, Response
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

PORT = int(os.environ.get("PORT", "3000"))
MAX_BYTES = 1024 * 1024
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
app = FastAPI()

# The journal has a line for each event that was received, and one for each that was handled. A table whose key is the
# id of the event does the same.
journal = open(os.environ.get("JOURNAL", "events.jsonl"), "ab+")
lock = threading.Lock()
received = set()
waiting = queue.Queue()


def write(entry):
    with lock:
        try:
            journal.write(json.dumps(entry).encode() + b"\n")
            journal.flush()
            os.fsync(journal.fileno())
        except OSError:
            # The line may be incomplete, and nothing can follow it. The next start removes it.
            traceback.print_exc()
            os._exit(1)


def read():
    """Reads the journal. Events that were received and not handled wait."""
    events = {}
    journal.seek(0)
    # A last line without its end was not written completely. Its event was not accepted, or is handled again.
    content = journal.read()
    end = content.rfind(b"\n") + 1
    journal.truncate(end)
    for line in content[:end].splitlines():
        entry = json.loads(line)
        if "handled" in entry:
            del events[entry["handled"]]
        else:
            events[entry["id"]] = entry
            received.add(entry["id"])
    for event in events.values():
        waiting.put(event)


def handle(event):
    """Your work. It may take its time, because the event is answered already."""
    data = event["data"]
    if event["type"] == "message.received":
        contact = data["contact"] or {}
        who = contact.get("name") or contact.get("username") or contact.get("phone_number")
        print(f"{event['sequence']} {who}: {data['text'] or data['type']}", flush=True)
    else:
        print(f"{event['sequence']} {event['type']} {data.get('id', '')}", flush=True)


def work():
    """Handles the events that wait, one after the other. One that fails is tried again after a restart."""
    while True:
        event = waiting.get()
        try:
            handle(event)
            write({"handled": event["id"]})
        except Exception:
            print(f"{event['id']} was not handled:", file=sys.stderr)
            traceback.print_exc()


@app.post("/webhooks")
async def receive(request: Request):
    # The signature is that of the body as it arrived: an object that was parsed and written again has other bytes.
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BYTES:
            return Response(status_code=413)
    try:
        # The library also refuses a timestamp that is more than five minutes away.
        event = webhook.verify(body, dict(request.headers))
    except (WebhookVerificationError, ValueError) as error:
        return Response(str(error), 400)
    # The same event may arrive again. It is stored before the answer, which says that you have it.
    if event["id"] not in received:
        write(event)
        received.add(event["id"])
        waiting.put(event)
    return Response(status_code=204)


if __name__ == "__main__":
    print(f"Receiving at http://localhost:{PORT}/webhooks", flush=True)
    read()
    threading.Thread(target=work, daemon=True).start()
    uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
