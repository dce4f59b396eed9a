//! The query to Redis: a script, so that its steps are atomic.

use auth::rate::WINDOW;
use domain::number::saturating;
use redis::aio::MultiplexedConnection;
use redis::{RedisError, Script, ScriptInvocation};
use std::sync::LazyLock;

/// Does the same as `auth::rate::RateWindow`, but for all instances together: keeps a list of the
/// times of admitted calls, oldest first. The times are strings, because Lua would write such large
/// numbers in scientific notation. Unless the caller gives a time, the script uses the clock of
/// Redis, so that all instances share one clock.
static ASK: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        r"
local window, limit, take, now = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1', ARGV[4]
if now == '' then
  local time = redis.call('TIME')
  now = time[1] .. string.format('%06d', tonumber(time[2]))
end
local last = redis.call('LINDEX', KEYS[1], -1)
if last and tonumber(last) > tonumber(now) then
  local back = tonumber(last) - tonumber(now)
  local admitted = redis.call('LRANGE', KEYS[1], 0, -1)
  redis.call('DEL', KEYS[1])
  for _, at in ipairs(admitted) do
    redis.call('RPUSH', KEYS[1], string.format('%.0f', tonumber(at) - back))
  end
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
end
local first = redis.call('LINDEX', KEYS[1], 0)
while first and tonumber(first) + window <= tonumber(now) do
  redis.call('LPOP', KEYS[1])
  first = redis.call('LINDEX', KEYS[1], 0)
end
local used = redis.call('LLEN', KEYS[1])
local admitted = used < limit
if admitted and take then
  used = redis.call('RPUSH', KEYS[1], now)
  redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000))
  first = first or now
end
local blocker = used >= limit and redis.call('LINDEX', KEYS[1], used - limit)
return {admitted and 1 or 0, used, first or '', blocker or '', now}
",
    )
});

/// The script's answer: whether the call is admitted, the number of calls in the window, the time
/// of the first call, the time of the call that must leave the window before the next call is
/// admitted, and the current time.
pub type ScriptReply = (u8, usize, String, String, String);

/// Tests Redis with the same query as a call makes, so that every fault that would make a call fail
/// is found.
pub async fn probe(mut connection: MultiplexedConnection) -> Result<(), RedisError> {
    // The limit is so high that the script always writes. Without a write, the test would also
    // succeed on a replica, which takes no writes.
    let mut asked = invocation("probe", u32::MAX, true);
    let _: ScriptReply = asked.arg("").invoke_async(&mut connection).await?;
    Ok(())
}

/// Prepares the script call for the window with this name. The caller must add the time argument.
pub fn invocation(name: &str, limit: u32, take: bool) -> ScriptInvocation<'static> {
    let mut asked = ASK.key(format!("switchboard:rate:{name}"));
    asked.arg(saturating(WINDOW.as_micros(), u64::MAX));
    asked.arg(limit).arg(u8::from(take));
    asked
}
