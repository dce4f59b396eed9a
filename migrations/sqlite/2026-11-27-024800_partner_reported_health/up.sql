-- What the last event about an endpoint's health said: 'failing' or 'disabled'.
ALTER TABLE endpoint_work ADD COLUMN reported TEXT;
