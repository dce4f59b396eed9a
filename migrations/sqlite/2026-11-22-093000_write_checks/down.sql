DROP TABLE write_checks;
