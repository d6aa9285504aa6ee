/**
 * ua-parser-js with a bounded time for every pattern. A pattern that backtracks over three or more runs of the text
 * takes cubic time: 256 hostile characters took up to 600 ms. Each such pattern is replaced by one that starts only at
 * the first occurrence of its word, or omitted if its result makes no difference here. Every other pattern is at most
 * quadratic: all of them together stay under 5 ms (test/core/visitors/user-agent-cpu.test.ts).
 */
import UAParser from "ua-parser-js";

/**
 * The parser's cubic patterns by their source; null omits one, which detects a browser that is `other` here.
 * @internal
 */
export const PATTERN_REPLACEMENTS: ReadonlyMap<string, RegExp | null> = new Map([
  [String.raw`(naver)\(.*?(\d+\.[\w\.]+).*\)`, null],
  [String.raw`trident.+rv[: ]([\w\.]{1,9})\b.+like gecko`, null],
  [String.raw`(mozilla)\/([\w\.]+) .+rv\:.+gecko\/\d+`, null],
  [
    String.raw`droid.+ version\/([\w\.]+)\b.+(?:mobile safari|safari)`,
    /(?<!droid.*)droid.+ version\/([\w.]+)\b.+safari/i,
  ],
  [
    String.raw`droid.+; (a?\d[0-2]{2}so|[c-g]\d{4}|so[-gl]\w+|xq-a\w[4-7][12])(?= bui|\).+chrome\/(?![1-6]{0,1}\d\.))`,
    /(?<!droid.*)droid.+; (a?\d[0-2]{2}so|[c-g]\d{4}|so[-gl]\w+|xq-a\w[4-7][12])(?= bui|\).+chrome\/(?![1-6]?\d\.))/i,
  ],
  [
    String.raw`archos ?(5|gamepad2?|([\w ]*[t1789]|hello) ?\d+[\w ]*)( b|\))`,
    /(?<!archos[\w ]*)archos ?((?:5|gamepad2?|[\w ]*[t1789] ?\d[\w ]*|hello ?\d[\w ]*)(?: b|\)))/i,
  ],
  [String.raw`droid.+aft(\w+)( bui|\))`, /(?<!droid.*)droid.+aft(\w+)( bui|\))/i],
  [String.raw`Hbbtv.*(technisat) (.*);`, /(?<!hbbtv.*)hbbtv.*(technisat) (.*);/i],
  [
    String.raw`droid .+?; ([^;]+?)(?: bui|; wv\)|\) applew).+? mobile safari`,
    /(?<!droid .*)droid .+?; ([^;]+?)(?: bui|; wv\)|\) applew).+? mobile safari/i,
  ],
  [
    String.raw`droid .+?; ([^;]+?)(?: bui|\) applew).+?(?! mobile) safari`,
    /(?<!droid .*)droid .+?; ([^;]+?)(?: bui|\) applew).+?(?! mobile) safari/i,
  ],
]);

/** A parser of one User-Agent, with the replaced patterns. */
export function parseUserAgent(text: string): UAParser {
  return new UAParser(text, PARSER_EXTENSIONS);
}

const PARSER_EXTENSIONS = { browser: boundedTable(), device: boundedTable(), os: boundedTable() };

/**
 * The parser's `extensions` can only add patterns: on every construction it calls their `concat` with its own table.
 * This `concat` returns the parser's table with the replacements.
 */
function boundedTable(): unknown[] {
  let bounded: unknown[] | undefined;
  const concat = (table: unknown[]) =>
    (bounded ??= table.map((entry, index) =>
      isPatterns(index) ? (entry as RegExp[]).flatMap(boundedPatterns) : entry,
    ));
  return Object.assign([], { concat });
}

/** Tables alternate: patterns, then their meaning. */
function isPatterns(index: number): boolean {
  return index % 2 === 0;
}

function boundedPatterns(pattern: RegExp): RegExp[] {
  const replacement = PATTERN_REPLACEMENTS.get(pattern.source);
  return replacement === undefined ? [pattern] : replacement === null ? [] : [replacement];
}
