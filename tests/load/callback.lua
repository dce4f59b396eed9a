-- POST of signed callbacks, each once, from the file that SWITCHBOARD_BENCH_BODIES names: `cargo xtask bench` runs it.

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "summary.lua")

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

local requests = {}
local sent = 0

-- The requests are made beforehand: what Lua does while it measures is taken from the server.
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
