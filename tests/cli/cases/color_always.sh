# The flag wins over NO_COLOR.
NO_COLOR=1 hdbinspect diff --color=always -t clock "$FIXTURES/v0/before.hdb" \
  "$FIXTURES/v0/after.hdb" | od -c | head -4
hdbinspect --color=auto ls "$FIXTURES/v0/before.hdb" | grep -c "$(printf "\033")"
