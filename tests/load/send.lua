-- Posts text messages to 1,000 numbers in turn. With SWITCHBOARD_BENCH_IDEMPOTENCY each has its own idempotency key
-- with that prefix. Used by `cargo xtask bench`.

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "summary.lua")

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["x-client-id"] = os.getenv("SWITCHBOARD_BENCH_CLIENT_ID")
wrk.headers["x-client-secret"] = os.getenv("SWITCHBOARD_BENCH_CLIENT_SECRET")

local NUMBERS = 1000
local PLACE = "0000000000"
local run = os.getenv("SWITCHBOARD_BENCH_IDEMPOTENCY")
local heads, tails = {}, {}
local sent = 0

if run then
   wrk.headers["Idempotency-Key"] = run .. "-" .. PLACE
end

-- All requests are built in advance, because Lua's work during the measurement would take time from the server.
function init()
   for number = 1, NUMBERS do
      local body = '{"phone_number":"+1202600%04d","type":"text","text":"Your order has left the warehouse."}'
      local request = wrk.format(nil, nil, nil, body:format(number - 1))
      if run then
         local place = request:find(run .. "-" .. PLACE, 1, true) + #run
         heads[number], tails[number] = request:sub(1, place), request:sub(place + #PLACE + 1)
      else
         heads[number] = request
      end
   end
end

if run then
   function request()
      local number = sent % NUMBERS + 1
      sent = sent + 1
      return heads[number] .. string.format("%010d", sent) .. tails[number]
   end
else
   function request()
      sent = sent % NUMBERS + 1
      return heads[sent]
   end
end
