for table in textures walls sounds sprites events; do
  hdbinspect dump "$FIXTURES/v0/resources.hdb" -t $table
done
