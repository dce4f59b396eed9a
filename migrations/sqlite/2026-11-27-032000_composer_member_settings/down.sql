DROP TABLE inbox_member_settings;
