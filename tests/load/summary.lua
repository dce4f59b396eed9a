-- Prints the results as one line of JSON. Times are in microseconds; `refused` counts responses of 400 and above.

function done(summary, latency)
   local errors = summary.errors
   print(string.format(
      'measured {"requests":%d,"duration":%d,"p50":%d,"p99":%d,"refused":%d,"broken":%d}',
      summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
      errors.status, errors.connect + errors.read + errors.write + errors.timeout
   ))
end
