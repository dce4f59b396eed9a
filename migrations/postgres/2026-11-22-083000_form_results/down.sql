DROP TABLE form_results;
