# Gives contacts the names in a CSV file, and reports on each of its lines, with Python 3 and nothing else.
import argparse, csv, json, os, sys, time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

SWITCHBOARD = os.environ.get("SWITCHBOARD", "http://localhost:8080")
HEADERS = {
    "x-client-id": os.environ["SWITCHBOARD_CLIENT_ID"],
    "x-client-secret": os.environ["SWITCHBOARD_CLIENT_SECRET"],
    "Content-Type": "application/json",
}
GIVEN = ["phone_number", "name", "opted_out"]
COLUMNS = ["line", *GIVEN, "result", "opt_out", "detail"]


def call(method, path, body=None):
    """Returns the status and the answer. Waits for the rate limit, and repeats a request that got no answer."""
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(8):
        try:
            with urlopen(Request(SWITCHBOARD + path, data, HEADERS, method=method), timeout=60) as response:
                return response.status, json.load(response)
        except HTTPError as error:
            if error.code in (401, 403):
                raise SystemExit(f"the request was refused: {error.code} {error.read().decode()}")
            if error.code != 429 and error.code < 500:
                return error.code, json.load(error)
            wait = int(error.headers.get("Retry-After") or 2**attempt)
            print(f"{error.code}, waiting for {wait} s", flush=True)
        except (OSError, HTTPException) as error:
            wait = 2**attempt
            print(f"no answer: {error}", file=sys.stderr)
        time.sleep(wait)
    raise SystemExit("the service does not answer; start this again later")


def invalid(answer):
    return {"result": "invalid", "opt_out": "", "detail": " ".join(it["message"] for it in answer["details"])}


def imported(row):
    """Names the contacts that the number leads to: one for each of your numbers that knows the person."""
    status, answer = call("GET", "/api/v1/contacts?" + urlencode({"phone_number": row["phone_number"]}))
    if status != 200:
        return invalid(answer)
    contacts, result = answer["data"], "found" if answer["data"] else "unknown"
    for contact in contacts if row["name"] else []:
        status, answer = call("PATCH", f"/api/v1/contacts/{contact['id']}", {"name": row["name"]})
        if status == 422:
            return invalid(answer)
        result = "named" if status == 200 else "unknown"
    # The opt-out is the person's own, and the API only shows it: a word that they write, the channel's report, or an
    # owner on the page of the contact sets it.
    opt_out, detail = "", ""
    if any(contact["opted_out_at"] for contact in contacts):
        opt_out = "recorded"
    elif row["opted_out"].lower() in ("1", "true", "yes", "x"):
        opt_out = "not recorded"
        detail = " ".join(f"{SWITCHBOARD}/contacts/{contact['id']}" for contact in contacts)
    return {"result": result, "opt_out": opt_out, "detail": detail}


def read_people(path):
    """Returns a row for each line: with the columns of the report, as far as the file has them."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        delimiter = max(",;\t", key=file.readline().count)
        file.seek(0)
        reader = csv.DictReader(file, delimiter=delimiter)
        if "phone_number" not in (reader.fieldnames or []):
            raise SystemExit(f"the first line of {path} has to name the columns: {', '.join(GIVEN)}")
        return [{"line": reader.line_num, **{it: (row.get(it) or "").strip() for it in GIVEN}} for row in reader]


def cut_off_torn_line(path):
    """Removes an incomplete last line, which a crash or a full disk can leave."""
    with open(path, "r+b") as file:
        read = end = quotes = 0
        for line in file.readlines():
            read += len(line)
            quotes += line.count(b'"')
            # A line break between quotes is a part of a name.
            if line.endswith(b"\n") and quotes % 2 == 0:
                end = read
        file.truncate(end)


def read_report(path):
    """Returns the outcomes of earlier runs."""
    if not os.path.exists(path):
        return {}
    cut_off_torn_line(path)
    with open(path, newline="", encoding="utf-8") as file:
        return {given(row): row for row in csv.DictReader(file) if row["result"] != "duplicate"}


def given(row):
    return tuple(row[it] for it in GIVEN)


def is_open(outcome):
    """Whether another run can have another outcome: the person may be known then, or opted out by hand."""
    return outcome is None or outcome["result"] == "unknown" or outcome["opt_out"] == "not recorded"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("people", help="a CSV file with the columns phone_number, name and opted_out")
    parser.add_argument("--report", required=True, help="a CSV file to write, or to go on with")
    arguments = parser.parse_args()
    rows, outcomes = read_people(arguments.people), read_report(arguments.report)
    # Each number once: of two lines the first counts.
    people = {}
    for row in rows:
        people.setdefault("".join(filter(str.isdecimal, row["phone_number"])) or row["phone_number"], row)
    first = {id(row) for row in people.values()}
    # 1. Each outcome is appended, so that a run that was interrupted is not done again.
    with open(arguments.report, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if file.tell() == 0:
            writer.writeheader()
        for row in people.values():
            if is_open(outcomes.get(given(row))):
                outcomes[given(row)] = row | imported(row)
                writer.writerow(outcomes[given(row)])
                file.flush()
    # 2. The whole report, in the order of the file.
    duplicate = {"result": "duplicate", "opt_out": "", "detail": ""}
    report = [(outcomes[given(row)] | row) if id(row) in first else (row | duplicate) for row in rows]
    with open(arguments.report + ".new", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(report)
        file.flush()
        os.fsync(file.fileno())
    os.replace(arguments.report + ".new", arguments.report)
    results = [row["result"] for row in report]
    print(json.dumps({result: results.count(result) for result in sorted(set(results))}))


if __name__ == "__main__":
    main()
