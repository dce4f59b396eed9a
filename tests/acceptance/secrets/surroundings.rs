//! Where the server keeps what it shares with others: a Redis and a bucket, both of which note all that they are asked.

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
    /// What Redis was asked.
    heard: Arc<Mutex<Vec<u8>>>,
    password: String,
    bucket: S3,
    /// Between the server and the bucket.
    tap: Tap,
}

impl Surroundings {
    pub async fn start() -> Self {
        let (folder, password) = (tempfile::tempdir().unwrap(), random());
        let redis = Redis::start_writing(folder.path(), &password).await;
        let (heard, bucket) = (redis.overhear().await, S3::start().await);
        let tap = Tap::before(&bucket.base()).await;
        Self { redis, folder, heard, password, bucket, tap }
    }

    /// The settings of a server that uses both.
    pub fn variables(&self) -> Vec<(String, String)> {
        let through_the_tap = ("media_s3_endpoint", format!("http://{}", self.tap.address));
        let bucket =
            self.bucket.settings().into_iter().filter(|(name, _)| *name != through_the_tap.0);
        let bucket: Vec<_> = bucket.chain([through_the_tap.clone()]).collect();
        variables(&[&bucket[..], &[("redis_url", self.redis.url())]].concat())
    }

    /// What they are opened with.
    pub fn secrets(&self) -> [String; 2] {
        [self.password.clone(), SECRET_KEY.to_owned()]
    }

    /// From now on the bucket says that the server's key is a wrong one.
    pub fn refuse_in_the_bucket(&self) {
        self.bucket.is_in(S3Behavior::Refuses("SignatureDoesNotMatch"));
    }

    /// Redis writes down what it holds, and from now on says that the server's password is a wrong one.
    pub async fn lock_redis(&mut self) {
        let saved = self.redis.tell("SAVE").await.unwrap();
        assert!(saved.contains("+OK"), "{saved}");
        self.redis.lock(&random()).await;
    }

    /// All that they have, and were asked.
    pub fn places(&self) -> Vec<Place> {
        let mut places = files(self.folder.path());
        places.extend(files(self.bucket.folder()));
        places.push(Place::new("what Redis was asked", self.heard.lock().unwrap().clone()));
        places.push(Place::new("what the bucket was asked", self.tap.requests()));
        places
    }
}
