hdbinspect --help
