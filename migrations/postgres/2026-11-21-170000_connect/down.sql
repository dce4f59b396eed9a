DROP TABLE handshakes;
DROP TABLE codes;
DROP TABLE consents;
DROP TABLE sessions;
DROP TABLE connections;
DROP TABLE applications;
