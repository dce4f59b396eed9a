-- Posts each body in the lines of the file SWITCHBOARD_BENCH_BODIES once. Used by `cargo xtask bench`.

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "summary.lua")

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

local requests = {}
local sent = 0

-- All requests are built in advance, because Lua's work during the measurement would take time from the server.
function init()
   for body in io.lines(os.getenv("SWITCHBOARD_BENCH_BODIES")) do
      requests[#requests + 1] = wrk.format(nil, nil, nil, body)
   end
end

function request()
   sent = sent % #requests + 1
   return requests[sent]
end
