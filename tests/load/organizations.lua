-- Posts text messages for many organizations in turn. Their keys are the lines of the file SWITCHBOARD_BENCH_KEYS.
-- Used by `cargo xtask cluster`.

dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "summary.lua")

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"

local PEOPLE = 10
local requests = {}
local sent = 0

-- All requests are built in advance, because Lua's work during the measurement would take time from the server.
function init()
   local keys = {}
   for line in io.lines(os.getenv("SWITCHBOARD_BENCH_KEYS")) do
      local id, secret = line:match("^(%S+) (%S+)$")
      keys[#keys + 1] = { id = id, secret = secret }
   end
   local body = '{"phone_number":"+1202600%04d","type":"text","text":"Your order has left the warehouse."}'
   for person = 1, PEOPLE do
      for _, key in ipairs(keys) do
         wrk.headers["x-client-id"] = key.id
         wrk.headers["x-client-secret"] = key.secret
         requests[#requests + 1] = wrk.format(nil, nil, nil, body:format(person))
      end
   end
   -- The order is random, because otherwise the same organizations would always send at the same time.
   math.randomseed(os.time())
   for last = #requests, 2, -1 do
      local other = math.random(last)
      requests[last], requests[other] = requests[other], requests[last]
   end
end

function request()
   sent = sent % #requests + 1
   return requests[sent]
end
