# git shows records after git-setup: changed, added, deleted, renamed and bad files; done twice,
# undone, and where it cannot be done.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE XDG_CONFIG_HOME GIT_CONFIG_GLOBAL
export HOME="$PWD/home" GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat GIT_CEILING_DIRECTORIES="$PWD"
export GIT_DISCOVERY_ACROSS_FILESYSTEM=1
here=$PWD
mkdir home
in=$FIXTURES/v0.10
try() {
  echo "\$ $*"
  "$@" 2>&1 | sed "s#$here/##; s#/[^ ]*git-blob-[^/]*/##"
}
try hdbinspect git-setup
git init -q project
cd project
git config user.email a@example.com
git config user.name a
printf '*.hdb binary' >.gitattributes
try hdbinspect git-setup --dry-run
try hdbinspect git-setup
try hdbinspect git-setup
cat .gitattributes
mkdir 'my saves'
cp "$in/before.hdb" 'my saves/slot.hdb'
cp "$in/empty.hdb" deleted.hdb
git add -A
git commit -qm 'before'
cp "$in/after.hdb" 'my saves/slot.hdb'
cp "$in/three_tables.hdb" added.hdb
echo bad >bad.hdb
git rm -q deleted.hdb
git add -A
try git diff HEAD
try git -c color.ui=always diff HEAD -- 'my saves' | head -4
git commit -qm 'after'
try git log --format=%s -U0 -p -1 -- 'my saves' bad.hdb | grep -v '^index'
git mv 'my saves/slot.hdb' moved.hdb
chmod +x moved.hdb
git add -A
try git diff -M HEAD
git config diff.hdb.command mine
try hdbinspect git-setup --undo
cat .gitattributes
try hdbinspect git-setup
try hdbinspect --json git-setup --undo
git config --get-regexp 'diff[.]'
try hdbinspect -q git-setup --global
cat "$HOME/.config/git/attributes" "$HOME/.gitconfig"
rm .gitattributes
try git diff -M HEAD -- moved.hdb | head -3
# Lines of the repository hide those of the user.
mkdir deep
printf 'x\n*.hdb binary\n' >deep/.gitattributes
(cd deep && try hdbinspect git-setup --global && try hdbinspect git-setup)
sed -i 's/binary/& diff=hdb/' deep/.gitattributes
(cd deep && try hdbinspect git-setup --global)
rm -r deep .gitattributes
echo '*.hdb diff=mine' >.git/info/attributes
try hdbinspect git-setup --global --dry-run
rm .git/info/attributes
try hdbinspect git-setup --undo
try hdbinspect git-setup --global --undo
rm -r "$HOME/.config"
mkdir -p "$HOME/.config/git/attributes"
try hdbinspect git-setup --global
cd ..
git init -q --bare bare
cd bare
try hdbinspect git-setup
try hdbinspect git-diff unmerged.hdb
try hdbinspect git-diff a b
# Without git.
program=$(command -v hdbinspect)
(PATH=$here && "$program" git-setup 2>&1)
