-- Requests for wrk, from a plan in the environment:
--   PLAN_PATHS        file with one path a line, visited in turn
--   PLAN_AGENTS       file with one User-Agent a line, used in turn
--   PLAN_SECONDS      how long to visit
--   PLAN_VISITS       how many visits at most; 0: as many as go
--   PLAN_CONNECTIONS  how many there are
--   PLAN_RATE         requests a second; 0: as many as go
--   PLAN_STATUS       what every answer's status should be, 302 or 404
-- At the end each connection sends a HEAD, which is not recorded. Its answer has no body and perhaps no length, and wrk
-- waits for more: so the connection stalls, every GET is answered before the end, and the count is exact.
local ffi = require("ffi")
ffi.cdef[[ typedef struct { long s; long ns; } spec; int clock_gettime(int clock, spec *at);
           int getpid(void); int kill(int pid, int signal); ]]
local at = ffi.new("spec")
local function now()
  ffi.C.clock_gettime(1, at)
  return tonumber(at.s) + tonumber(at.ns) / 1e9
end

local paths, agents, prepared, head = {}, {}, {}, nil
local ends, first = 0, 0
local visits, moving = tonumber(os.getenv("PLAN_VISITS")), tonumber(os.getenv("PLAN_CONNECTIONS"))
local PREPARED_MAX = 5000
sent = 0
seconds = 0

local function lines(path)
  local found = {}
  for line in io.lines(path) do found[#found + 1] = line end
  return found
end

local function visit(by, i)
  return wrk.format(by, paths[i % #paths + 1], {
    ["User-Agent"] = agents[i % #agents + 1],
    ["Accept-Language"] = "de-CH,de;q=0.9,en;q=0.8",
    ["Accept"] = "text/html",
    ["MF-CF-Blob"] = '{"country":"DE","continent":"EU","regionCode":"BE","city":"Berlin"}',
  })
end

function init(args)
  paths, agents = lines(os.getenv("PLAN_PATHS")), lines(os.getenv("PLAN_AGENTS"))
  local count = #paths * #agents / (function(a, b) while b > 0 do a, b = b, a % b end return a end)(#paths, #agents)
  if #paths <= PREPARED_MAX then
    for i = 0, math.min(count, PREPARED_MAX) - 1 do prepared[i + 1] = visit("GET", i) end
  end
  head = visit("HEAD", 0)
end

local verified = false
function request()
  if not verified then -- wrk looks at one request before it begins, and does not send it
    verified = true
    return head
  end
  local time = now()
  if ends == 0 then
    first = time
    ends = time + tonumber(os.getenv("PLAN_SECONDS"))
  end
  if time < ends and (visits == 0 or sent < visits) then
    sent = sent + 1
    seconds = time - first
    return #prepared > 0 and prepared[(sent - 1) % #prepared + 1] or visit("GET", sent - 1)
  end
  moving = moving - 1
  if moving == 0 and visits > 0 then ffi.C.kill(ffi.C.getpid(), 2) end -- as by Ctrl-C: wrk prints what it has
  return head
end

-- Requests have scheduled times, and whichever connection is free takes the next. If each connection waited a while
-- after its answer instead, requests bunched together by a moment's stall would stay together.
if tonumber(os.getenv("PLAN_RATE")) > 0 then
  local rate, begun, taken = tonumber(os.getenv("PLAN_RATE")), nil, 0
  function delay()
    begun = begun or now()
    taken = taken + 1
    return math.max(0, math.floor((begun + taken / rate - now()) * 1000 + 0.5))
  end
end

local threads = {}
function setup(thread) threads[#threads + 1] = thread end

function done(summary, latency, requests)
  local sum, time = 0, 0
  for _, thread in ipairs(threads) do
    sum = sum + thread:get("sent")
    time = math.max(time, thread:get("seconds"))
  end
  local times = {}
  for i = 1, #latency do
    local micros, count = latency(i)
    times[i] = string.format("[%d,%d]", micros, count)
  end
  local errors = summary.errors
  local strange = os.getenv("PLAN_STATUS") == "302" and errors.status or summary.requests - errors.status
  io.write(string.format(
    '\nRESULT {"sent":%d,"seconds":%f,"requests":%d,"duration":%d,"latencies":[%s],"bad":%d}\n',
    sum, time, summary.requests, summary.duration, table.concat(times, ","),
    errors.connect + errors.read + errors.write + errors.timeout + strange))
end
