/** Reads a link with its ETag and changes it with `If-Match`, so that no concurrent change is overwritten. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type { Link, UpdateLink } from "../../../core/contract/links.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrapWithEtag, useApi } from "../../api/client.ts";

/** A link and the ETag of its revision. */
export interface LinkRevision {
  link: Link;
  etag: string;
}

export function useLink(id: string) {
  const { api, mode } = useApi();
  return useQuery({
    queryKey: [mode, "link", id],
    queryFn: async () => toLinkRevision(await unwrapWithEtag(api.links[":id"].$get({ param: { id } }))),
  });
}

export function useUpdateLink(id: string) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ changes, etag }: { changes: UpdateLink; etag: string }) =>
      toLinkRevision(
        await unwrapWithEtag(
          api.links[":id"].$patch({ param: { id }, json: changes }, { headers: { "If-Match": etag } }),
        ),
      ),
    onSuccess: (updated) => {
      queries.setQueryData([mode, "link", id], updated);
      void queries.invalidateQueries({ queryKey: [mode, "links"] });
    },
  });
}

/** Whether a change was refused because the link had changed since it was read. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === "precondition_failed";
}

/** The routes return a link as serialized JSON, so the client does not infer its type. */
function toLinkRevision({ body, etag }: { body: unknown; etag: string | null }): LinkRevision {
  // `*` matches every revision: without an ETag there is nothing to compare.
  return { link: body as Link, etag: etag ?? "*" };
}
