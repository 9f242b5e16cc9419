cp -r "$FIXTURES/v0/series" saves
hdbinspect grep saves 'hp < 0 or name == "rat"' 2>&1; echo "[$?]"
echo "--- counts"
hdbinspect grep saves --count awake 2>&1; echo "[$?]"
echo "--- a limit"
hdbinspect grep saves --limit 3 'hp > 0' 2>&1; echo "[$?]"
echo "--- slots and generations"
hdbinspect -q grep saves '@slot == 1 and @gen > 1' 2>&1; echo "[$?]"
echo "--- a handle"
hdbinspect -q grep saves 'target == monsters:1@1' 2>&1; echo "[$?]"
echo "--- nothing"
hdbinspect grep saves 'hp > 1000' 2>&1; echo "[$?]"
echo "--- a field of the newest saves only"
hdbinspect grep saves 'stamina > 0' 2>&1; echo "[$?]"
echo "--- JSON"
hdbinspect --json grep saves 'hp < 0' | sed 's/"bytes_read":[0-9]*/"bytes_read":N/'
hdbinspect --json grep saves --count 'hp < 0' | sed 's/"bytes_read":[0-9]*/"bytes_read":N/'
