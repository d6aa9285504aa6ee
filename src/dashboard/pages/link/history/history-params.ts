/** The compared versions, in the query of the page's address, so that reload, Back and a copied address show them. */
import { useSearchParams } from "wouter";

import { withParams } from "../../../formatting/search-params.ts";

interface HistoryParams {
  /** The open version; null if there is none. */
  version: number | null;
  /** The version it is compared with; null for the previous one. */
  against: number | null;
}

/** @internal */
export function parseHistoryParams(search: URLSearchParams): HistoryParams {
  return { version: numberIn(search.get("version")), against: numberIn(search.get("against")) };
}

/**
 * Parameters of the page's other parts stay as they are.
 * @internal
 */
export function writeHistoryParams(search: URLSearchParams, { version, against }: HistoryParams): URLSearchParams {
  return withParams(search, {
    version: version === null ? null : String(version),
    against: version === null || against === null ? null : String(against),
  });
}

function numberIn(text: string | null): number | null {
  return text !== null && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null;
}

export function useHistoryParams() {
  const [search, setSearch] = useSearchParams();
  return {
    params: parseHistoryParams(search),
    change: (params: HistoryParams) => setSearch((current) => writeHistoryParams(current, params)),
  };
}

export type HistoryView = ReturnType<typeof useHistoryParams>;
