DROP TABLE media_owners;
