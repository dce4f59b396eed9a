-- POST of a text message to the address, to one of 10,000 numbers after the other, so that many conversations are
-- hit: `cargo xtask bench` runs it.

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "summary.lua")

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["x-client-id"] = os.getenv("SWITCHBOARD_BENCH_CLIENT_ID")
wrk.headers["x-client-secret"] = os.getenv("SWITCHBOARD_BENCH_CLIENT_SECRET")

local NUMBERS = 10000
local requests = {}
local sent = 0

-- The requests are made beforehand: what Lua does while it measures is taken from the server.
function init()
   for number = 1, NUMBERS do
      local body = '{"phone_number":"+1202600%04d","type":"text","text":"Your order has left the warehouse."}'
      requests[number] = wrk.format(nil, nil, nil, body:format(number - 1))
   end
end

function request()
   sent = sent % NUMBERS + 1
   return requests[sent]
end
