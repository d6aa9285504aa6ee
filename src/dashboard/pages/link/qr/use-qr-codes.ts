/** Fetches the QR codes of a link, newest first, page by page. Creates and archives them. */
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";

import type { Mode } from "../../../../core/account.ts";
import type { QrCode, QrCodePage } from "../../../../core/contract/qr-codes.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { useIdempotencyKey, useNotifiedMutation, useSingleMutation } from "../../../api/mutations.ts";
import { notifySuccess } from "../../../notifications.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { newQrCode, type QrDesign } from "./qr-design.ts";

const PAGE_CODES = 10;
const SCANS_REFRESH_MS = 10_000;
/** With more pages, scans are not refreshed automatically: each page is a request. */
const REFRESHED_PAGES_MAX = 3;

function qrCodesKey(mode: Mode, linkId: string) {
  return [mode, "qr", linkId] as const;
}

export function useQrCodes(linkId: string, isArchived: boolean) {
  const { api, mode } = useApi();
  return useInfiniteQuery({
    queryKey: [...qrCodesKey(mode, linkId), isArchived],
    queryFn: ({ pageParam }) =>
      unwrap<QrCodePage>(
        api.qr.$get({
          query: {
            link_id: linkId,
            limit: String(PAGE_CODES),
            archived: isArchived ? "true" : "false",
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > REFRESHED_PAGES_MAX ? false : SCANS_REFRESH_MS),
  });
}

export function useCreateQrCode(linkId: string) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const { headersOf, forget } = useIdempotencyKey();
  return useSingleMutation({
    mutationFn: (design: QrDesign) => {
      const json = newQrCode(linkId, design);
      return unwrap<QrCode>(api.qr.$post({ json }, { headers: headersOf(json) }));
    },
    onSuccess: async () => {
      forget();
      notifySuccess(texts.created);
      await queries.invalidateQueries({ queryKey: qrCodesKey(mode, linkId) });
    },
  });
}

/** Archives a code, or restores it. */
export function useArchiveQrCode({ id }: QrCode) {
  const { api, mode } = useApi();
  return useNotifiedMutation({
    mutationFn: (archived: boolean) => unwrap<QrCode>(api.qr[":id"].$patch({ param: { id }, json: { archived } })),
    done: (archived) => (archived ? texts.archivedNow : texts.restored),
    failed: texts.notChanged,
    // Also the newest code and the names in filters.
    refreshed: [mode, "qr"],
  });
}
