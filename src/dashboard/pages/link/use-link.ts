/** Reads a link with its ETag and changes it with `If-Match`, so that no concurrent change is overwritten. */
import { useQuery } from "@tanstack/react-query";
import type { ClientResponse } from "hono/client";

import type { Link, UpdateLink } from "../../../core/contract/links.ts";
import type { Stats } from "../../../core/contract/stats.ts";
import { okResponse, readBody } from "../../api/api-error.ts";
import { type ApiClient, queryClient, unwrap, useApi } from "../../api/client.ts";
import { useAbortableMutation, useSingleMutation } from "../../api/mutations.ts";
import { notifyError } from "../../notifications.ts";
import { linkPageTexts } from "../../texts/link.ts";

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

/** The clicks of a link by a grouping, fetched again with its other statistics. Undefined until they are known. */
export function useLinkBuckets(id: string, groupBy: "address" | "revision" | "rule", enabled = true) {
  const { api, mode } = useApi();
  const { data } = useQuery({
    queryKey: [mode, "stats", id, groupBy],
    queryFn: () => unwrap<Stats>(api.links[":id"].stats.$get({ param: { id }, query: { group_by: groupBy } })),
    enabled,
  });
  return data?.buckets;
}

interface LinkChange {
  changes: UpdateLink;
  etag: string;
  /** The image of the link's preview. */
  file?: File | null;
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
  const send = async ({ changes, etag, file }: LinkChange, signal?: AbortSignal) => {
    const options = { headers: { "If-Match": etag }, ...(signal && { init: { signal } }) };
    const saved = await unwrapLink(api.links[":id"].$patch({ param: { id }, json: changes }, options));
    return file ? uploadImage(api, saved, file, signal) : saved;
  };
  const store = (updated: LinkWithEtag) => {
    queryClient.setQueryData([mode, "link", id], updated);
    void queryClient.invalidateQueries({ queryKey: [mode, "links"] });
    void queryClient.invalidateQueries({ queryKey: [mode, "revisions", id] });
  };
  return { send, store };
}

/** Uploads the image of a link that was just saved. If that fails, shows the error, and returns the link as saved. */
export async function uploadImage(
  api: ApiClient,
  saved: LinkWithEtag,
  file: File,
  signal?: AbortSignal,
): Promise<LinkWithEtag> {
  const init = { body: file, ...(signal && { signal }) };
  const upload = api.links[":id"].social.image.$put({ param: { id: saved.link.id } }, { init });
  return unwrapLink(upload).catch((error: unknown) => {
    notifyError(linkPageTexts.imageNotUploaded, error);
    return saved;
  });
}

/** @throws ApiError as `unwrap` does */
export async function unwrapLink(pending: Promise<ClientResponse<unknown>>): Promise<LinkWithEtag> {
  const response = await okResponse(pending);
  // `*` matches every revision: without an ETag there is nothing to compare.
  return { link: await readBody<Link>(response), etag: response.headers.get("ETag") ?? "*" };
}
