/** Where an export goes on: what the API takes as `after`. Pure. */
import type { RowFormat } from "./row-splitter.ts";

/** @param ofAccount  clicks of all links, which are in the order of time @returns null for the names of the columns, and for no click */
export function placeAfter(row: string, format: RowFormat, ofAccount: boolean): string | null {
  const { link_id, seq, occurred_at } = format === "csv" ? csvPlace(row, ofAccount) : jsonPlace(row);
  if (!/^\d+$/.test(String(seq)) || (link_id !== undefined) !== ofAccount) return null;
  return ofAccount ? `${occurred_at},${link_id},${seq}` : String(seq);
}

interface Place {
  link_id?: string | undefined;
  seq?: string | number | undefined;
  occurred_at?: string | undefined;
}

function jsonPlace(row: string): Place {
  try {
    return (JSON.parse(row) as Place | null) ?? {};
  } catch {
    return {};
  }
}

/** They stand in front of what may have commas. */
function csvPlace(row: string, ofAccount: boolean): Place {
  const [first, second, third, fourth] = row.split(",", 4);
  return ofAccount ? { link_id: first, seq: third, occurred_at: fourth } : { seq: first, occurred_at: second };
}
