/** What can stand at a place of the command line. Pure. */
import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";

interface Candidate {
  text: string;
  description: string;
}

/** The names of files, which the shell knows. */
export const FILES = "files";

type Candidates = readonly Candidate[] | typeof FILES;

/** A word of the line as the command reads it. */
interface Place {
  command: CommandUnknownOpts;
  /** Of the command, how many are given already. */
  args: number;
  /** Whose value comes next. */
  option: Option | undefined;
  /** Behind `--` there are no options. */
  isPlain: boolean;
}

/** @param words  behind the program's name; the last one is being typed */
export function candidatesFor(program: CommandUnknownOpts, words: readonly string[]): Candidates {
  const given = withoutEqualSigns(words);
  const current = given.pop() ?? "";
  const start: Place = { command: program, args: 0, option: undefined, isPlain: false };
  const place = given.reduce(placeAfter, start);
  return matching(candidatesAt(place, current), current);
}

/** bash takes `--json=x` for three words. */
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

/** @param shown  `--out <FILE>`: what is called so is the name of a file */
function valuesOf(shown: string, choices: readonly string[] | undefined): Candidates {
  if (/\bFILE\b/.test(shown)) return FILES;
  return (choices ?? []).map((text) => ({ text, description: "" }));
}

/** Of an option and its value in one word. */
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

function matching(candidates: Candidates, current: string): Candidates {
  return candidates === FILES ? FILES : candidates.filter(({ text }) => text.startsWith(current));
}
