# Completions of hdbinspect for bash; made by `hdbinspect completion bash`.
_hdbinspect() {
  local line=${COMP_LINE:0:COMP_POINT} words found word cur head
  # COMP_WORDS splits monsters:42@1 and --level=full. Without -r a backslash quotes a blank.
  # shellcheck disable=SC2162
  read -a words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=('')
  cur=${words[-1]}
  mapfile -t found < <("${words[0]}" completion words -- "${words[@]:1}" 2>/dev/null)
  # Only what follows the last character that splits words is replaced.
  head=${cur%"${cur##*["$COMP_WORDBREAKS"]}"}
  COMPREPLY=()
  # What follows a < or > within a word cannot be replaced.
  [[ $cur != *[\<\>]* ]] || return
  for word in "${found[@]%%$'\t'*}"; do
    if [[ $word == @files ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "${cur#"$head"}")
    elif [[ $word == "$cur"* ]]; then
      word=${word#"$head"}
      [[ $word != *[][\<\>]* ]] || printf -v word %q "$word"
      COMPREPLY+=("$word")
      [[ $word != *[.:=/] ]] || compopt -o nospace 2>/dev/null
    fi
  done
}
complete -F _hdbinspect hdbinspect
