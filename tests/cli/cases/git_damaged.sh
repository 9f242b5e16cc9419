# git gives versions of files under names that are gone when the user reads them.
HOME=$PWD
GIT_CONFIG_NOSYSTEM=1
GIT_PAGER=cat
export HOME GIT_CONFIG_NOSYSTEM GIT_PAGER
git init -q project
cd project
git config user.name tester
git config user.email tester@example.org
hdbinspect -q git-setup
cp "$FIXTURES/v0.10/before.hdb" slot.hdb
git add -A
git commit -qm sound
hit slot.hdb $(block slot.hdb "monsters > group 0")+100
git add -A
git commit -qm damaged
quiet() { sed "s#[^ ']*/[^ ']*slot.hdb#slot.hdb#g" | grep -v '^index'; }
git log --format=%s -p -1 2>&1 | quiet | grep '^hdbinspect\|next\|not shown'
git diff HEAD~1 HEAD 2>&1 | quiet
git show HEAD:slot.hdb >FILE.hdb
hdbinspect -q validate FILE.hdb || echo "status $?"
