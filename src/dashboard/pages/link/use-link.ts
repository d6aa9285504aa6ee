/** Reads a link with its ETag and changes it with `If-Match`, so that no concurrent change is overwritten. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ClientResponse } from "hono/client";

import type { Link, UpdateLink } from "../../../core/contract/links.ts";
import { ApiError } from "../../api/api-error.ts";
import { okResponse, useApi } from "../../api/client.ts";
import { useAbortableMutation, useSingleMutation } from "../../api/mutations.ts";

/** A link and the ETag of its revision. */
export interface LinkWithEtag {
  link: Link;
  etag: string;
}

export function useLink(id: string) {
  const { api, mode } = useApi();
  return useQuery({
    queryKey: [mode, "link", id],
    queryFn: () => unwrapLink(api.links[":id"].$get({ param: { id: encodeURIComponent(id) } })),
  });
}

interface LinkChange {
  changes: UpdateLink;
  etag: string;
}

/** Continues when the user leaves the tab. */
export function useUpdateLink(id: string) {
  const { send, store } = useLinkChange(id);
  return useSingleMutation({ mutationFn: (change: LinkChange) => send(change), onSuccess: store });
}

/** Aborted when its dialog closes. */
export function useAbortableUpdate(id: string) {
  const { send, store } = useLinkChange(id);
  return useAbortableMutation({ mutationFn: send, onSuccess: store });
}

function useLinkChange(id: string) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const send = ({ changes, etag }: LinkChange, signal?: AbortSignal) => {
    const options = { headers: { "If-Match": etag }, ...(signal && { init: { signal } }) };
    return unwrapLink(api.links[":id"].$patch({ param: { id }, json: changes }, options));
  };
  const store = (updated: LinkWithEtag) => {
    queries.setQueryData([mode, "link", id], updated);
    void queries.invalidateQueries({ queryKey: [mode, "links"] });
    void queries.invalidateQueries({ queryKey: [mode, "revisions", id] });
  };
  return { send, store };
}

/** Whether a change was refused because the link had changed since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === "precondition_failed";
}

/** @throws ApiError as `unwrap` does */
export async function unwrapLink(pending: Promise<ClientResponse<unknown>>): Promise<LinkWithEtag> {
  const response = await okResponse(pending);
  // `*` matches every revision: without an ETag there is nothing to compare.
  return { link: (await response.json()) as Link, etag: response.headers.get("ETag") ?? "*" };
}
