hdbinspect diff --help
