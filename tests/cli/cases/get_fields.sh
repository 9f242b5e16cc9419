hdbinspect get "$FIXTURES/v0/every_field.hdb" things:1@1.pos.x "things:1@1.weapons[1].name" \
  "things:1@1.skills[0].value" "things:1@1.either<2>.y" things:1@1.corners
