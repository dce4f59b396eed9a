-- Posts each signed callback in the file SWITCHBOARD_BENCH_BODIES once. Used by `cargo xtask bench`.

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "summary.lua")

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

local requests = {}
local sent = 0

-- All requests are built in advance, because Lua's work during the measurement would take time from the server.
function init()
   for line in io.lines(os.getenv("SWITCHBOARD_BENCH_BODIES")) do
      local signature, body = line:match("^(%x+)\t(.*)$")
      wrk.headers["X-Hub-Signature-256"] = "sha256=" .. signature
      requests[#requests + 1] = wrk.format(nil, nil, nil, body)
   end
end

function request()
   sent = sent % #requests + 1
   return requests[sent]
end
