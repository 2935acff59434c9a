"""The compiled passes over sorted scores. Outside `aucstudy.metrics`, `walks` alone is imported: an import contract."""
