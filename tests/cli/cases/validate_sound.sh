hdbinspect validate "$FIXTURES"/v0/*.hdb
