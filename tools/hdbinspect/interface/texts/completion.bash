# Completions of hdbinspect for bash; made by `hdbinspect completion bash`.
_hdbinspect() {
  local cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]:1:COMP_CWORD}") found
  mapfile -t found < <("${COMP_WORDS[0]}" completion words -- "${words[@]}" 2>/dev/null)
  [[ $cur != = ]] || cur=''
  if [[ ${found[0]} == @files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "${found[*]%%$'\t'*}" -- "$cur")
  fi
}
complete -F _hdbinspect hdbinspect
