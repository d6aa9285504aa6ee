/**
 * What shells load. At Tab they ask `hoplink complete`, which prints a candidate a line, with a tab and its description,
 * or `:files`. The words of the line are passed as they are: by `eval`, of which completions often make use, Tab alone
 * would run a `$(…)` that somebody has pasted.
 */
const BASH = `
_hoplink() {
    local text description
    COMPREPLY=()
    while IFS=$'\\t' read -r text description; do
        if [[ $text == :files ]]; then
            compopt -o default
        else
            COMPREPLY+=("$text")
        fi
    done < <(hoplink complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _hoplink hoplink
`;

/** A zsh without settings has not loaded its completions. */
const ZSH = `
_hoplink() {
    local text description
    local -a candidates
    while IFS=$'\\t' read -r text description; do
        if [[ $text == :files ]]; then
            compset -P '--*='
            _files
            return
        fi
        candidates+=("$text:$description")
    done < <(hoplink complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
    _describe -t hoplink hoplink candidates
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _hoplink hoplink
`;

const FISH = `
function __hoplink_candidates
    set -l words (commandline -opc)
    set -e words[1]
    set -l current (commandline -ct)
    set -l candidates (hoplink complete -- $words "$current" 2>/dev/null)
    if test "$candidates" != :files
        printf '%s\\n' $candidates
        return
    end
    set -l option (string match -r -- '^--[^=]*=' "$current")
    for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current"))
        printf '%s\\n' "$option$path"
    end
end
complete -c hoplink -e
complete -c hoplink -f -a '(__hoplink_candidates)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH };
