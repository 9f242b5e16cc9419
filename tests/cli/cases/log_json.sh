cp -r "$FIXTURES/v0/series" saves
hdbinspect --json log saves monsters:1@1 | sed 's/"bytes_read":[0-9]*/"bytes_read":N/'
hdbinspect --json log saves monsters:0@1.pos.x | sed 's/"bytes_read":[0-9]*/"bytes_read":N/'
