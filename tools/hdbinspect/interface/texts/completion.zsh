#compdef hdbinspect
# Completions of hdbinspect for zsh; made by `hdbinspect completion zsh`.
_hdbinspect() {
  local -a found whole begun
  local line
  found=("${(@f)$($words[1] completion words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $found; do
    case $line in
      @files) compset -P '--*='; _files ;;
      *[.:=/]) begun+=("${line//:/\\:}") ;;
      *$'\t'*) whole+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      *) whole+=("${line//:/\\:}") ;;
    esac
  done
  _describe hdbinspect whole
  _describe hdbinspect begun -S ''
}
if [[ $funcstack[1] == _hdbinspect ]]; then
  _hdbinspect "$@"
else
  compdef _hdbinspect hdbinspect
fi
