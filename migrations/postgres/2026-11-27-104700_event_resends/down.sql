DROP TABLE event_resends;
