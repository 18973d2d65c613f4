/** Shells that can be taught to complete. */
export const completionShells = ['bash', 'zsh', 'fish'] as const;
export type CompletionShell = (typeof completionShells)[number];

/** What `coppice complete` answers where names of files are to be completed, in place of words. */
export const filesMark = ':files';

/** Each asks `coppice complete -- WORDS`, which answers a word and, after a tab, what it does, on each line. */
const scripts: Readonly<Record<CompletionShell, string>> = {
  bash: `_coppice() {
  local answer
  answer=$(coppice complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  if [[ $answer == '${filesMark}' ]]; then
    compopt -o default
    COMPREPLY=()
  else
    mapfile -t COMPREPLY < <(cut -f1 <<<"$answer" | sed '/^$/d')
  fi
}
complete -F _coppice coppice
`,
  zsh: `#compdef coppice
_coppice() {
  local answer line word
  local -a described
  answer=$(coppice complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null) || return
  if [[ $answer == '${filesMark}' ]]; then
    _files
    return
  fi
  for line in "\${(@f)answer}"; do
    [[ -n $line ]] || continue
    word=\${line%%$'\\t'*}
    described+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe coppice described
}
compdef _coppice coppice
`,
  fish: `function __coppice_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l answer (coppice complete -- $words[2..] 2>/dev/null)
  if test "$answer" = '${filesMark}'
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $answer
  end
end
complete -c coppice -f -a '(__coppice_complete)'
`,
};

/** What a shell reads at its start to complete the command's words. */
export function completionScript(shell: CompletionShell): string {
  return scripts[shell];
}
