DROP TABLE inbox_member_states;
DROP TABLE notes;
DROP TABLE inbox_positions;
DROP TABLE inbox_entries;
