//! Rate windows that instances share, in Redis or Valkey: exact for all of them together.

use auth::rate::{Standing, WINDOW};
use domain::id::KeyId;
use domain::time::Timestamp;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisError, Script};
use std::time::Duration;

/// How long Redis may take to answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// What `auth::rate::RateWindow` does, where all instances meet: a list of the admitted calls' times,
/// oldest first. Times stay texts, for Lua would write such numbers in scientific notation. A clock
/// that is behind another instance's is held, lest places be given twice.
const ASK: &str = r"
local now, window, limit, take = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
local last = redis.call('LINDEX', KEYS[1], -1)
if last and tonumber(last) > tonumber(now) then now = last end
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
";

/// The windows of all keys.
pub struct Shared {
    connection: ConnectionManager,
    ask: Script,
}

impl Shared {
    /// Connects, and connects anew whenever the connection is lost.
    pub async fn open(url: &str) -> Result<Self, RedisError> {
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(ANSWER_WITHIN))
            .set_connection_timeout(Some(ANSWER_WITHIN));
        let connection = ConnectionManager::new_with_config(Client::open(url)?, config).await?;
        Ok(Self { connection, ask: Script::new(ASK) })
    }

    /// Asks for a place for a call of `key`, or, without `take`, how it stands.
    pub async fn ask(
        &self,
        key: KeyId,
        limit: u32,
        now: Timestamp,
        take: bool,
    ) -> Result<Standing, RedisError> {
        let mut connection = self.connection.clone();
        let window = u64::try_from(WINDOW.as_micros()).unwrap_or(u64::MAX);
        let (admitted, used, first, blocker, now): (u8, usize, String, String, String) = self
            .ask
            .key(format!("switchboard:rate:{key}"))
            .arg(now.micros())
            .arg(window)
            .arg(limit)
            .arg(u8::from(take))
            .invoke_async(&mut connection)
            .await?;
        let time = |text: String| text.parse().ok().map(Timestamp::from_micros);
        let now = time(now).unwrap_or(Timestamp::from_micros(0));
        Ok(Standing::of(admitted == 1, limit, used, time(first), time(blocker), now))
    }
}
