/**
 * Orders options while the user types: prefix matches come before other matches, so that Enter selects Germany for
 * "Germ" and for "de", not Algeria for "ger". Pure.
 */

interface Option {
  value: string;
  label: string;
}

/** @param options  of a Mantine select without groups; options without a label are of another kind, and omitted */
export function rankOptions<Item extends object>({
  options,
  search,
  limit,
}: {
  options: Item[];
  search: string;
  limit: number;
}): Item[] {
  const text = search.trim().toLowerCase();
  const ranked = options.flatMap((item) => {
    const rank = isOption(item) ? rankOf(item, text) : null;
    return rank === null ? [] : [{ item, rank }];
  });
  // The sort is stable: options of one rank keep their order.
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ item }) => item);
}

/** @returns null if the option does not contain the text */
function rankOf({ value, label }: Option, text: string): number | null {
  const name = label.toLowerCase();
  if (text === "" || value.toLowerCase() === text) return 0;
  const at = name.indexOf(text);
  if (at < 0) return null;
  if (at === 0) return 1;
  return name.includes(` ${text}`) ? 2 : 3;
}

function isOption(item: object): item is Option {
  return "label" in item && "value" in item;
}
