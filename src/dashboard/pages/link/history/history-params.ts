/** Which versions are compared, as the query of the page's address, so that reload, Back and a copied address show them. */
import { useSearchParams } from "wouter";

interface HistoryParams {
  /** The version that is open; null when none is. */
  version: number | null;
  /** What it is compared with; null: the version before. */
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
  const written = new URLSearchParams(search);
  for (const [name, value] of Object.entries({ version, against: version === null ? null : against })) {
    if (value === null) written.delete(name);
    else written.set(name, String(value));
  }
  return written;
}

function numberIn(text: string | null): number | null {
  return text !== null && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null;
}

export interface HistoryView {
  params: HistoryParams;
  change: (params: HistoryParams) => void;
}

export function useHistoryParams(): HistoryView {
  const [search, setSearch] = useSearchParams();
  return {
    params: parseHistoryParams(search),
    change: (params) => setSearch((current) => writeHistoryParams(current, params)),
  };
}
