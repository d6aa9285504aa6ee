/** Names of links and QR codes by id, for statistics, whose buckets and filters are ids. */
import { queryOptions, useQueries, useQuery } from "@tanstack/react-query";

import type { Mode } from "../../../../core/account.ts";
import type { Link } from "../../../../core/contract/links.ts";
import type { QrCode } from "../../../../core/contract/qr-codes.ts";
import { ApiError } from "../../../api/api-error.ts";
import { apiClients, unwrap } from "../../../api/client.ts";
import { linkName } from "../../../formatting/hosts.ts";
import { useMode } from "../../../mode.ts";
import { statsTexts as texts } from "../../../texts/stats.ts";
import { limitConcurrency } from "../../../api/waits.ts";

const STALE_MS = 5 * 60_000;

export interface NamedLink {
  id: string;
  /** The id until the name is known. */
  name: string;
  /** Undefined until it is known; null if the link was deleted. */
  link: Link | null | undefined;
}

const runLimited = limitConcurrency(4);

/** Null for a deleted link, whose clicks stay in the statistics. */
function linkQuery(mode: Mode, id: string) {
  return queryOptions({
    queryKey: [mode, "link-names", id],
    queryFn: ({ signal }) => runLimited(() => readLink(mode, id, signal), signal),
    staleTime: STALE_MS,
  });
}

async function readLink(mode: Mode, id: string, signal: AbortSignal): Promise<Link | null> {
  try {
    return (await unwrap(
      apiClients[mode].links[":id"].$get({ param: { id: encodeURIComponent(id) } }, { init: { signal } }),
    )) as Link;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/**
 * @param shortUrl  the most clicked links arrive with theirs
 * @param isWanted  e.g. true once its row comes into view
 */
export function useNamedLink(id: string, shortUrl: string | undefined, isWanted = true): NamedLink {
  const { mode } = useMode();
  const { data } = useQuery({ ...linkQuery(mode, id), enabled: isWanted });
  const isEarly = data === undefined && shortUrl !== undefined;
  return isEarly ? { id, name: linkName({ short_url: shortUrl }), link: undefined } : named(id, data);
}

export function useNamedLinks(ids: readonly string[]): NamedLink[] {
  const { mode } = useMode();
  const links = useQueries({ queries: ids.map((id) => linkQuery(mode, id)) });
  return ids.map((id, index) => named(id, links[index]?.data));
}

function named(id: string, link: Link | null | undefined): NamedLink {
  return { id, name: link ? linkName(link) : link === null ? texts.deletedLink(id.slice(-6)) : id, link };
}

/** Names of the codes in a filter, by id. Codes without a name are left out. */
export function useQrNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const { mode } = useMode();
  const codes = useQueries({
    queries: ids.map((id) => ({
      queryKey: [mode, "qr", "names", id],
      queryFn: () => unwrap<QrCode>(apiClients[mode].qr[":id"].$get({ param: { id: encodeURIComponent(id) } })),
      staleTime: STALE_MS,
    })),
  });
  return new Map(codes.flatMap(({ data }) => (data?.name === undefined ? [] : [[data.id, data.name]])));
}
