//! A Redis and a bucket that the server uses. All requests to them are recorded.

use super::places::{Place, files};
use super::stage::random;
use super::tap::Tap;
use crate::world::moto::variables;
use crate::world::redis::Redis;
use crate::world::s3::{S3, S3Behavior, SECRET_KEY};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

pub struct Surroundings {
    redis: Redis,
    folder: TempDir,
    /// The commands that Redis received.
    heard: Arc<Mutex<Vec<u8>>>,
    password: String,
    bucket: S3,
    /// Records the requests from the server to the bucket.
    tap: Tap,
}

impl Surroundings {
    pub async fn start() -> Self {
        let (folder, password) = (tempfile::tempdir().unwrap(), random());
        let redis = Redis::start_writing(folder.path(), &password).await;
        let (heard, bucket) = (redis.record_commands().await, S3::start().await);
        let tap = Tap::before(&bucket.base()).await;
        Self { redis, folder, heard, password, bucket, tap }
    }

    /// Returns the settings of a server that uses both.
    pub fn variables(&self) -> Vec<(String, String)> {
        let through_the_tap = ("media_s3_endpoint", format!("http://{}", self.tap.address));
        let bucket =
            self.bucket.settings().into_iter().filter(|(name, _)| *name != through_the_tap.0);
        let bucket: Vec<_> = bucket.chain([through_the_tap.clone()]).collect();
        variables(&[&bucket[..], &[("redis_url", self.redis.url())]].concat())
    }

    /// Returns the password of Redis and the secret access key of the bucket.
    pub fn secrets(&self) -> [String; 2] {
        [self.password.clone(), SECRET_KEY.to_owned()]
    }

    /// Makes the bucket reject the server's access key.
    pub fn refuse_in_the_bucket(&self) {
        self.bucket.is_in(S3Behavior::Refuses("SignatureDoesNotMatch"));
    }

    /// Makes Redis save its data, and then reject the server's password.
    pub async fn lock_redis(&mut self) {
        let saved = self.redis.execute("SAVE").await.unwrap();
        assert!(saved.contains("+OK"), "{saved}");
        self.redis.lock(&random()).await;
    }

    /// Returns everything that both store, and all requests to them.
    pub fn places(&self) -> Vec<Place> {
        let mut places = files(self.folder.path());
        places.extend(files(self.bucket.folder()));
        places.push(Place::new("what Redis was asked", self.heard.lock().unwrap().clone()));
        places.push(Place::new("what the bucket was asked", self.tap.requests()));
        places
    }
}
