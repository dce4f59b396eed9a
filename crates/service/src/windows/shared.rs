//! Rate windows that instances share, in Redis or Valkey: exact for all of them together.

use super::link::{Link, Unanswered};
use auth::rate::{Standing, WINDOW};
use domain::id::KeyId;
use domain::time::Timestamp;
use redis::aio::MultiplexedConnection;
use redis::{RedisError, Script, ScriptInvocation};
use std::sync::{Arc, LazyLock};

/// What `auth::rate::RateWindow` does, where all instances meet: a list of the admitted calls' times,
/// oldest first. Times stay texts, for Lua would write such numbers in scientific notation. The time is
/// Redis' own, so that all instances go by one clock, unless the caller names one.
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

/// Whether a call is admitted, the calls in the window, the first, the one that blocks, and the time.
type Answer = (u8, usize, String, String, String);

/// The windows of all keys.
pub struct Shared(Arc<Link>);

impl Shared {
    /// Connects, and connects anew whenever the connection is lost.
    pub async fn open(url: &str, authorities: Option<Vec<u8>>) -> Result<Self, RedisError> {
        Ok(Self(Link::open(url, authorities).await?))
    }

    /// Asks for a place as a call does.
    pub async fn probe(&self) -> Result<(), RedisError> {
        self.0.probe().await
    }

    /// Asks for a place for a call of `key`, or, without `take`, how it stands; by Redis' clock, unless
    /// `now` is given.
    pub async fn ask(
        &self,
        key: KeyId,
        limit: u32,
        now: Option<Timestamp>,
        take: bool,
    ) -> Result<Standing, Unanswered> {
        let (admitted, used, first, blocker, now): Answer = self
            .0
            .ask(async move |mut connection| {
                let mut asked = invocation(&key.to_string(), limit, take);
                asked.arg(now.map(|now| now.micros().to_string()).unwrap_or_default());
                asked.invoke_async(&mut connection).await
            })
            .await?;
        let time = |text: String| text.parse().ok().map(Timestamp::from_micros);
        let now = time(now).unwrap_or(Timestamp::from_micros(0));
        Ok(Standing::of(admitted == 1, limit, used, time(first), time(blocker), now))
    }
}

/// Asks for a place as a call does, so that whatever would refuse a call refuses this too.
pub(super) async fn probe(mut connection: MultiplexedConnection) -> Result<(), RedisError> {
    // A window that were full would be read only, as a replica can do it.
    let mut asked = invocation("probe", u32::MAX, true);
    let _: Answer = asked.arg("").invoke_async(&mut connection).await?;
    Ok(())
}

fn invocation(name: &str, limit: u32, take: bool) -> ScriptInvocation<'static> {
    let mut asked = ASK.key(format!("switchboard:rate:{name}"));
    asked.arg(u64::try_from(WINDOW.as_micros()).unwrap_or(u64::MAX));
    asked.arg(limit).arg(u8::from(take));
    asked
}
