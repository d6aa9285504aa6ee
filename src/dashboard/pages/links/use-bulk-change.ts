/** Changes or deletes the selected links in one request, and keeps why some of them were refused. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { Link, UpdateLink } from "../../../core/contract/links.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { type ApiClient, unwrap, useApi } from "../../api/client.ts";
import { bulkActionTexts } from "../../texts/links.ts";

export type BulkRequest = { kind: "delete"; erase: boolean } | { kind: "update"; changes: (link: Link) => UpdateLink };

export interface RefusedLink {
  link: Link;
  message: string;
}

export interface BulkChange {
  run: (links: readonly Link[], request: BulkRequest) => void;
  isPending: boolean;
  /** The request failed as a whole: no link was touched, or the answer was lost. */
  error: unknown;
  refused: readonly RefusedLink[];
}

/** @param onDone  called with the number of changed links, and the ids of those that were refused */
export function useBulkChange(onDone: (changed: number, refusedIds: readonly string[]) => void): BulkChange {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const [refused, setRefused] = useState<readonly RefusedLink[]>([]);
  const change = useAbortableMutation({
    mutationFn: ({ links, request }: { links: readonly Link[]; request: BulkRequest }, signal) => {
      setRefused([]);
      return send(api, links, request, signal);
    },
    onSuccess: (results, { links }) => {
      const failures = links.flatMap((link, index) => refusalOf(link, results[index]));
      setRefused(failures);
      void queries.invalidateQueries({ queryKey: [mode, "links"] });
      void queries.invalidateQueries({ queryKey: [mode, "link"] });
      onDone(
        links.length - failures.length,
        failures.map(({ link }) => link.id),
      );
    },
  });
  return {
    run: (links, request) => change.mutate({ links, request }),
    isPending: change.isPending,
    error: change.error,
    refused,
  };
}

type ItemResult = { error?: { message: string; errors?: { message: string }[] | undefined } };

async function send(
  api: ApiClient,
  links: readonly Link[],
  request: BulkRequest,
  signal: AbortSignal,
): Promise<ItemResult[]> {
  const options = { init: { signal } };
  if (request.kind === "delete") {
    const json = { links: links.map(({ id }) => ({ id })), erase: request.erase };
    return (await unwrap(api.links["bulk-delete"].$post({ json }, options))).results as ItemResult[];
  }
  const json = { links: links.map((link) => ({ id: link.id, ...request.changes(link) })) };
  return (await unwrap(api.links["bulk-update"].$post({ json }, options))).results as ItemResult[];
}

function refusalOf(link: Link, result: ItemResult | undefined): RefusedLink[] {
  if (result && !result.error) return [];
  const problems = result?.error?.errors?.map(({ message }) => message).join("; ");
  return [{ link, message: problems || result?.error?.message || bulkActionTexts.noAnswer }];
}
