# The bytes of an imported file are those that convert writes, if both have one file id.
for file in "$FIXTURES"/v0.10/*.hdb; do
  hdbinspect -q convert "$file" -o converted.hdb --force
  hdbinspect dump --exact converted.hdb |
    hdbinspect -q import - -o imported.hdb --expect-same --force
  cmp converted.hdb imported.hdb || echo "$file"
done
hdbinspect -q convert "$FIXTURES/v0.10/all_kinds.hdb" -o converted.hdb --codec none --force
hdbinspect dump --exact converted.hdb |
  hdbinspect -q import - -o imported.hdb --expect-same --codec none --force
cmp converted.hdb imported.hdb
