/**
 * Searches for User-Agents that take long to parse. It pumps the words of each of the libraries' patterns in pairs and
 * triples, then keeps mutating the slowest ones. Deterministic. It finds the cubic patterns of ua-parser-js within a
 * second when they exist.
 */
import { list } from "isbot";
import UAParser from "ua-parser-js";

import { isDeclaredBot } from "../../src/core/visitors/declared-bots.ts";
import { detectClient } from "../../src/core/visitors/user-agent.ts";
import { seededRandom, randomInteger } from "./seeded-random.ts";

/** The part of a User-Agent that is read. */
const USER_AGENT_MAX_CHARS = 256;

/** A word repeated over a share of the text; with share 0 it occurs once. */
interface RepeatedWord {
  word: string;
  share: number;
}

interface Attack {
  parts: RepeatedWord[];
  ms: number;
}

const KEPT_ATTACKS = 200;
const MUTATED_ATTACKS = 60;

/** The slowest User-Agent after `changes` changes, and its CPU time, best of several. Stops above `enoughMs`. */
export function slowestUserAgent(changes: number, enoughMs = Infinity): { text: string; ms: number } {
  const chance = seededRandom(7);
  const below = (end: number) => randomInteger(chance, end);
  const attacks = initialAttacks(below).toSorted((one, other) => other.ms - one.ms);
  attacks.length = Math.min(attacks.length, KEPT_ATTACKS);
  for (let i = 0; i < changes && (attacks[0]?.ms ?? 0) < enoughMs; i++) {
    const attack = measured(mutated(attacks[below(MUTATED_ATTACKS)]?.parts ?? [], below));
    if (attack.ms <= (attacks.at(-1)?.ms ?? 0)) continue;
    attacks.splice(-1, 1, attack);
    attacks.sort((one, other) => other.ms - one.ms);
  }
  const best = attacks
    .slice(0, MUTATED_ATTACKS)
    .map(({ parts }) => ({ text: textOf(parts), ms: cpuMsOf(textOf(parts), 10) }));
  return best.toSorted((one, other) => other.ms - one.ms)[0] ?? { text: "", ms: 0 };
}

/** CPU ms of reading one User-Agent as a visit does, with itself as its hints: the least of several. */
export function cpuMsOf(text: string, times: number): number {
  let least = Infinity;
  for (let i = 0; i < times; i++) {
    const before = process.cpuUsage();
    detectClient(text, { mobile: text, platform: text, brands: text });
    isDeclaredBot(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** The sources of all patterns in the libraries. */
export function libraryPatternSources(): string[] {
  const sources: string[] = [];
  const tap = () =>
    Object.assign([], {
      concat: (table: RegExp[][]) => {
        for (const [i, patterns] of table.entries())
          if (i % 2 === 0) sources.push(...patterns.map(({ source }) => source));
        return table;
      },
    });
  // The parser calls `concat` of its extensions with its tables.
  void new UAParser(" ", { browser: tap(), device: tap(), os: tap() });
  return [...sources, ...list];
}

const WORDS = libraryPatternSources().map(wordsOf);
const VOCABULARY = [...new Set([...WORDS.flat(), "1", "1.1", "a", "; ", ";", " ", ")", "(", "."])];

/** The parts of a pattern: its literals, and one character for each class of characters. */
function wordsOf(source: string): string[] {
  const plain = source
    .replaceAll(/\(\?(?:<?[=!]|:)/g, "(")
    .replaceAll(/\[[^\]]*\]|\\[dws]/g, sampleOf)
    .replaceAll(/\\b|[\^$?]|\{[\d,]+\}/g, "")
    .replaceAll(/\\(.)/g, "$1\0");
  return plain
    .split(/[()|+*.](?!\0)/)
    .map((word) => word.replaceAll("\0", ""))
    .filter((word) => word !== "");
}

function sampleOf(charClass: string): string {
  if (/\\w|a-z/.test(charClass)) return "a";
  if (/\d/.test(charClass) || charClass === "\\d") return "1";
  return charClass.includes(" ") || charClass === "\\s" ? " " : "a";
}

function initialAttacks(below: (end: number) => number): Attack[] {
  return WORDS.flatMap((words) => {
    const any = () => words[below(words.length)] ?? "";
    const threes = Array.from({ length: Math.min(40, words.length ** 2) }, () => [any(), any(), any()]);
    const pairs = Array.from({ length: Math.min(40, words.length ** 2) }, () => [any(), any()]);
    const together = [[words.join("")], [words.join(" ")], ...words.map((word) => [word])];
    return [...threes, ...pairs, ...together].map((some) => measured(some.map((word) => ({ word, share: 1 }))));
  });
}

function mutated(parts: readonly RepeatedWord[], below: (end: number) => number): RepeatedWord[] {
  const other = () => VOCABULARY[below(VOCABULARY.length)] ?? "";
  const at = below(parts.length);
  const part = parts[at] ?? { word: other(), share: 1 };
  const changes = [
    () => parts.with(at, { ...part, word: other() }),
    () => parts.with(at, { ...part, share: below(5) }),
    () => parts.with(at, { ...part, word: part.word + other() }),
    () => parts.toSpliced(at, 0, { word: other(), share: below(3) }),
    () => (parts.length > 1 ? parts.toSpliced(at, 1) : [...parts]),
  ];
  return changes[below(changes.length)]?.() ?? [];
}

function measured(parts: RepeatedWord[]): Attack {
  return { parts, ms: cpuMsOf(textOf(parts), 2) };
}

function textOf(parts: readonly RepeatedWord[]): string {
  const shares = parts.reduce((sum, { share }) => sum + share, 0);
  const times = ({ word, share }: RepeatedWord) =>
    Math.max(1, Math.floor((USER_AGENT_MAX_CHARS * share) / shares / word.length));
  const text = parts.map((part) => part.word.repeat(shares === 0 ? 1 : times(part))).join("");
  return text.slice(0, USER_AGENT_MAX_CHARS);
}
