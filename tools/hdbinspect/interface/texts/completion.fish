# Completions of hdbinspect for fish; made by `hdbinspect completion fish`.
complete -c hdbinspect -e
function __hdbinspect_words
  set -l words (commandline -opc)
  set -l current (commandline -ct | string unescape)
  set -l found ($words[1] completion words -- $words[2..-1] "$current" 2>/dev/null)
  if test "$found[1]" = @files
    __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current")
    set -e found[1]
  end
  printf '%s\n' $found
end
complete -c hdbinspect -f -a '(__hdbinspect_words)'
