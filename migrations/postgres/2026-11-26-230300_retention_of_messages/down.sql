DROP TABLE retention_rules;
