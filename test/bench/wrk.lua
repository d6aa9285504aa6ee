-- Requests for wrk, from a plan in the environment:
--   PLAN_PATHS    file with one path a line, visited in turn
--   PLAN_AGENTS   file with one User-Agent a line, used in turn
--   PLAN_SECONDS  how long to visit with GET; after that HEAD, which is answered but not recorded, so that every GET
--                 is answered before the end and the count is exact
--   PLAN_DELAY    ms that each connection waits before each request (0: none)
local ffi = require("ffi")
ffi.cdef[[ typedef struct { long s; long ns; } spec; int clock_gettime(int clock, spec *at); ]]
local at = ffi.new("spec")
local function now()
  ffi.C.clock_gettime(1, at)
  return tonumber(at.s) + tonumber(at.ns) / 1e9
end

local gets, heads, ends, first, last = {}, {}, 0, 0, 0
sent = 0
seconds = 0
local pause = 0

local function lines(path)
  local found = {}
  for line in io.lines(path) do found[#found + 1] = line end
  return found
end

function init(args)
  local paths, agents = lines(os.getenv("PLAN_PATHS")), lines(os.getenv("PLAN_AGENTS"))
  local count = #paths * #agents / (function(a, b) while b > 0 do a, b = b, a % b end return a end)(#paths, #agents)
  for i = 0, math.min(count, 5000) - 1 do
    local headers = {
      ["User-Agent"] = agents[i % #agents + 1],
      ["Accept-Language"] = "de-CH,de;q=0.9,en;q=0.8",
      ["Accept"] = "text/html",
      ["MF-CF-Blob"] = '{"country":"DE","continent":"EU","regionCode":"BE","city":"Berlin"}',
    }
    gets[#gets + 1] = wrk.format("GET", paths[i % #paths + 1], headers)
    heads[#heads + 1] = wrk.format("HEAD", paths[i % #paths + 1], headers)
  end
  pause = tonumber(os.getenv("PLAN_DELAY"))
end

local turn = 0
local verified = false
function request()
  if not verified then -- wrk looks at one request before it begins, and does not send it
    verified = true
    return gets[1]
  end
  local time = now()
  if ends == 0 then
    first = time
    ends = time + tonumber(os.getenv("PLAN_SECONDS"))
  end
  turn = turn % #gets + 1
  if time < ends then
    sent = sent + 1
    seconds = time - first
    return gets[turn]
  end
  return heads[turn]
end

if tonumber(os.getenv("PLAN_DELAY")) > 0 then
  function delay() return pause end
end

local threads = {}
function setup(thread) threads[#threads + 1] = thread end

function done(summary, latency, requests)
  local sum, time = 0, 0
  for _, thread in ipairs(threads) do
    sum = sum + thread:get("sent")
    time = math.max(time, thread:get("seconds"))
  end
  io.write(string.format(
    '\nRESULT {"sent":%d,"seconds":%f,"requests":%d,"duration":%d,"p50":%f,"p99":%f,"bad":%d}\n',
    sum, time, summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout))
end
