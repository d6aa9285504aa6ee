/** Pagination, the same for every list: `limit` and `cursor` in, `has_more` and `next_cursor` out. */
import { z } from "zod";

/**
 * A whole number in a query: plain decimal digits, as `20`. `Number` would also read `1e1`, `0x10`, ` 5` and `05`, which
 * other readers of the same URL take for something else.
 */
export function decimal(min: number, max = Number.MAX_SAFE_INTEGER) {
  const error = ({ code }: { code?: string }) =>
    code === "invalid_type" ? "must be a whole number in decimal digits" : undefined;
  const number = z.int({ error }).min(min).max(max);
  return z.preprocess((text) => (/^(?:0|-?[1-9][0-9]{0,14})$/.test(String(text)) ? Number(text) : text), number);
}

/**
 * Query parameters of a list.
 * @param of  the listed items, for the description
 * @param cursor  pattern of the list's cursors
 */
export function pageQuery(limitMax: number, of: string, cursor: RegExp) {
  return {
    limit: decimal(1, limitMax)
      .default(20)
      .meta({ description: `Most ${of} on the page.`, examples: [20] }),
    cursor: z
      .string()
      .regex(cursor, "must be the next_cursor of an earlier page")
      .optional()
      .meta({ description: "`next_cursor` of the page before." }),
  };
}

export function pageShape<Item extends z.ZodType>(item: Item) {
  return {
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: "`cursor` of the next request; null on the last page." }),
  };
}
