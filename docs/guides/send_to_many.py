# Sends a template to many people, with Python 3 and nothing else. The standard input has a phone number on each line.
import argparse, hashlib, json, os, re, sys, time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import Request, urlopen

SWITCHBOARD = os.environ.get("SWITCHBOARD", "http://localhost:8080")
CLIENT_ID, CLIENT_SECRET = os.environ["SWITCHBOARD_CLIENT_ID"], os.environ["SWITCHBOARD_CLIENT_SECRET"]
BATCH = 100


class Journal:
    """The requests and answers of a mailing. A batch is written before its request, its results after the answer."""

    def __init__(self, path):
        self.results, self.open, self.batches = {}, {}, 0
        self.file = open(path, "ab+")
        self.file.seek(0)
        for number, line in enumerate(self.file.readlines(), 1):
            try:
                entry = json.loads(line)
            except ValueError:
                if line.endswith(b"\n"):
                    raise SystemExit(f"line {number} of {path} cannot be read")
                # The last line is incomplete. The next line must not be appended to it.
                self.file.truncate(self.file.tell() - len(line))
                break
            if not line.endswith(b"\n"):
                self.file.write(b"\n")
            self.read(entry)

    def read(self, entry):
        if "messages" in entry:
            self.open[entry["key"]] = entry["messages"]
            self.batches += 1
            return
        messages = self.open.pop(entry["key"])
        for message, code in zip(messages, entry["results"]):
            self.results[message["phone_number"]] = code

    def write(self, entry):
        self.file.write(json.dumps(entry).encode() + b"\n")
        self.file.flush()
        os.fsync(self.file.fileno())
        self.read(entry)

    def key(self, messages):
        """Returns the key of the next batch. A batch whose line was lost gets the same key again."""
        return hashlib.sha256(json.dumps([self.batches, messages]).encode()).hexdigest()


def post(key, messages):
    """Returns the results and the headers. Repeats a request that got no answer, with the same key."""
    headers = {
        "x-client-id": CLIENT_ID,
        "x-client-secret": CLIENT_SECRET,
        "Content-Type": "application/json",
        "Idempotency-Key": key,
    }
    body = json.dumps({"messages": messages}).encode()
    for attempt in range(8):
        try:
            with urlopen(Request(f"{SWITCHBOARD}/api/v1/messages/batch", body, headers), timeout=60) as response:
                return json.load(response)["results"], response.headers
        except HTTPError as error:
            if error.code not in (409, 429) and error.code < 500:
                raise SystemExit(f"the batch was refused: {error.code} {error.read().decode()}")
            time.sleep(int(error.headers.get("Retry-After") or 2**attempt))
        except (OSError, HTTPException) as error:
            print(f"no answer: {error}", file=sys.stderr)
            time.sleep(2**attempt)
    raise SystemExit("the service does not answer; start this again later")


def send(journal, key, messages):
    """Sends a batch and writes its results."""
    results, headers = post(key, messages)
    codes = [result["error"]["code"] if "error" in result else "accepted" for result in results]
    journal.write({"key": key, "results": codes})
    print(f"{codes.count('accepted')} of {len(codes)} accepted", flush=True)
    if "rate_limited" in codes:
        found = re.search(r'"key";r=\d+;t=(\d+)', headers.get("RateLimit", ""))
        wait = int(found[1]) if found else 60
        print(f"the rate limit is reached, waiting for {wait} s", flush=True)
        time.sleep(wait)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--template", required=True)
    parser.add_argument("--language", required=True)
    parser.add_argument("--journal", required=True)
    arguments = parser.parse_args()
    name = os.path.basename(arguments.journal)
    # Each number once, with the number of its line.
    people = {}
    for number, line in enumerate(sys.stdin, 1):
        if line.strip():
            people.setdefault(line.strip(), number)
    journal = Journal(arguments.journal)
    # 1. What an interrupted run asked and did not get an answer to: the same request with the same key.
    for key, messages in list(journal.open.items()):
        send(journal, key, messages)
    # 2. Everybody who has no result, and those who were beyond the rate limit.
    while rest := [it for it in people if journal.results.get(it) in (None, "rate_limited")]:
        messages = [
            {
                "type": "template",
                "phone_number": person,
                "template_name": arguments.template,
                "language": arguments.language,
                "client_ref": f"{name}:{people[person]}",
            }
            for person in rest[:BATCH]
        ]
        key = journal.key(messages)
        journal.write({"key": key, "messages": messages})
        send(journal, key, messages)
    counts = {}
    for code in journal.results.values():
        counts[code] = counts.get(code, 0) + 1
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
