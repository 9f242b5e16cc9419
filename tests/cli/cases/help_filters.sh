# The help of filters, of globs, and of dump: no line is longer than 80 columns.
for topic in filters globs dump; do
  hdbinspect help $topic
  hdbinspect help $topic | awk "length(\$0) > 80"
done
