-- A pair is looked up by its secret: a wrong secret and an unknown client id are then the same question.
CREATE UNIQUE INDEX keys_by_secret ON keys (secret_digest);
CREATE UNIQUE INDEX applications_by_secret ON applications (secret_digest);
