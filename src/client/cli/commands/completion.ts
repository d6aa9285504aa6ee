/** `hoplink completion SHELL`: prints a script that completes commands and options by calling `hoplink complete`. */
import { Argument, type Command, type CommandUnknownOpts, type Option } from "@commander-js/extra-typings";

import type { Io } from "../io.ts";

/**
 * Scripts for the shells to load. On Tab they call `hoplink complete`, which prints one candidate per line (with a tab
 * and its description) or `:files`. The words of the line are passed verbatim: with `eval`, which completion scripts
 * often use, pressing Tab would run a pasted `$(…)`.
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

/** Without a configuration, zsh has not loaded its completion system. */
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

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH };

const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

export function addCompletionCommand(program: Command, io: Io): void {
  program
    .command("completion")
    .description(`Print a completion script for ${SHELLS.slice(0, -1).join(", ")} or ${SHELLS.at(-1)}`)
    .addArgument(new Argument("<SHELL>", "Shell that will run the script").choices(SHELLS))
    .action((shell) => io.write(SCRIPTS[shell].trimStart()));
  program
    .command("complete", { hidden: true })
    .argument("[WORDS...]")
    .action((words) => complete(program as unknown as CommandUnknownOpts, words, io));
}

async function complete(program: CommandUnknownOpts, words: readonly string[], io: Io): Promise<void> {
  const candidates = candidatesFor(program, words);
  if (candidates === FILES) return io.print(":files");
  if (candidates.length > 0) await io.print(...candidates.map(({ text, description }) => `${text}\t${description}`));
}

interface Candidate {
  text: string;
  description: string;
}

/** File names, which the shell completes. @internal */
export const FILES = "files";

type Candidates = readonly Candidate[] | typeof FILES;

/** How the command reads a word of the line. */
interface Place {
  command: CommandUnknownOpts;
  /** Number of arguments of the command that are already given. */
  args: number;
  /** The option whose value comes next. */
  option: Option | undefined;
  /** After `--`, words are not parsed as options. */
  isPlain: boolean;
}

/** @internal @param words  after the program's name; the last one is being typed */
export function candidatesFor(program: CommandUnknownOpts, words: readonly string[]): Candidates {
  const given = withoutEqualSigns(words);
  const current = given.pop() ?? "";
  const start: Place = { command: program, args: 0, option: undefined, isPlain: false };
  const place = given.reduce(placeAfter, start);
  const candidates = candidatesAt(place, current);
  return candidates === FILES ? FILES : candidates.filter(({ text }) => text.startsWith(current));
}

/** bash splits `--json=x` into three words. */
function withoutEqualSigns(words: readonly string[]): string[] {
  const rest = words.filter((word, i) => word !== "=" || !words[i - 1]?.startsWith("--"));
  return words.at(-1) === "=" ? [...rest, ""] : rest;
}

function placeAfter(place: Place, word: string): Place {
  if (place.option) return { ...place, option: undefined };
  if (word === "--") return { ...place, isPlain: true };
  if (word.startsWith("-") && !place.isPlain) {
    const option = optionOf(place.command, word);
    return { ...place, option: option?.required ? option : undefined };
  }
  const command = place.command.commands.find((one) => one.name() === word);
  return command ? { ...place, command, args: 0 } : { ...place, args: place.args + 1 };
}

function candidatesAt({ command, args, option, isPlain }: Place, current: string): Candidates {
  if (option) return valuesOf(option.flags, option.argChoices);
  const [, name] = (!isPlain && /^(--[^=]+)=/.exec(current)) || [];
  if (name) return valuesBehind(name, optionOf(command, name));
  if (current.startsWith("-") && !isPlain) return optionsOf(command);
  if (command.commands.length > 0) return command.createHelp().visibleCommands(command).map(commandCandidate);
  const argument = command.registeredArguments[args];
  return argument ? valuesOf(argument.name(), argument.argChoices) : [];
}

/** @param shown  e.g. `--out <FILE>`; the placeholder FILE stands for a file name */
function valuesOf(shown: string, choices: readonly string[] | undefined): Candidates {
  if (/\bFILE\b/.test(shown)) return FILES;
  return (choices ?? []).map((text) => ({ text, description: "" }));
}

/** For an option and its value in one word. */
function valuesBehind(name: string, option: Option | undefined): Candidates {
  const values = option ? valuesOf(option.flags, option.argChoices) : [];
  return values === FILES ? FILES : values.map((value) => ({ ...value, text: `${name}=${value.text}` }));
}

function optionOf(command: CommandUnknownOpts, word: string): Option | undefined {
  return command.options.find(({ short, long }) => word === short || word === long);
}

function optionsOf(command: CommandUnknownOpts): Candidate[] {
  const options = command.createHelp().visibleOptions(command);
  return options.map(({ long, description }) => ({ text: long ?? "", description }));
}

function commandCandidate(command: CommandUnknownOpts): Candidate {
  return { text: command.name(), description: command.description() };
}
