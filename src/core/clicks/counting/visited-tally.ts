/**
 * Clicks of an account by address, from its summaries, which count clicks by link and by alias: clicks on a link that
 * are not by an alias are by its own slug. Pure.
 */
import { addClicks, addCounts, countsOf, type NumberTally, type Tally, type TextTally } from "./tally.ts";

/**
 * Clicks by the numbers of `visitedColumn` (core/clicks/encoding/click-columns.ts).
 * @param linkOf  returns the number of an alias's link
 */
export function visitedTally(links: NumberTally, aliases: NumberTally, linkOf: (alias: number) => number): Tally {
  const changes: TextTally = new Map();
  for (const { value, human, nonHuman } of countsOf(aliases)) {
    const alias = Number(value);
    if (alias === 0) continue;
    addClicks(changes, String(2 * alias + 1), human, nonHuman);
    addClicks(changes, String(2 * linkOf(alias)), -human, -nonHuman);
  }
  const counts = countsOf(changes);
  return addCounts(
    { ...links, numbers: links.numbers.map((link) => 2 * link) },
    counts.map(({ value }) => value),
    counts.map(({ human }) => human),
    counts.map(({ nonHuman }) => nonHuman),
  );
}
