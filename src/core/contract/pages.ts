/** Pagination, the same for every list: `limit` and `cursor` in, `has_more` and `next_cursor` out. */
import { z } from "zod";

/**
 * Query parameters of a list.
 * @param of  the listed items, for the description
 * @param cursor  pattern of the list's cursors
 */
export function pageQuery(limitMax: number, of: string, cursor: RegExp) {
  return {
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(limitMax)
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
