DROP TRIGGER template_removed;
DROP TRIGGER template_changed;
DROP TRIGGER template_made;
DROP TABLE template_counts;
DROP INDEX templates_by_language;
DROP INDEX templates_by_category;
DROP INDEX templates_by_status;
