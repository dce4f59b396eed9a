DROP TRIGGER template_changed ON templates;
DROP TRIGGER template_counted ON templates;
DROP FUNCTION count_template;
DROP TABLE template_counts;
DROP INDEX templates_by_language;
DROP INDEX templates_by_category;
DROP INDEX templates_by_status;
