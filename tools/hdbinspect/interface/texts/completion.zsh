#compdef hdbinspect
# Completions of hdbinspect for zsh; made by `hdbinspect completion zsh`.
_hdbinspect() {
  local -a found
  found=("${(@f)$($words[1] completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $found[1] == @files ]]; then
    compset -P '--*='
    _files
  else
    found=("${found[@]/$'\t'/:}")
    _describe hdbinspect found
  fi
}
if [[ $funcstack[1] == _hdbinspect ]]; then
  _hdbinspect "$@"
else
  compdef _hdbinspect hdbinspect
fi
