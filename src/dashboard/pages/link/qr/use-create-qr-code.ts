/**
 * Makes QR codes. One `Idempotency-Key` belongs to one code: a second click, or another try after the connection broke,
 * makes no second one. The next code gets a key of its own.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

import type { QrCode } from "../../../../core/contract/qr-codes.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { newIdempotencyKey, useSingleMutation } from "../../../api/mutations.ts";
import { notifySuccess } from "../../../notifications.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";
import { newQrCode, type QrDesign } from "./qr-design.ts";
import { qrCodesKey } from "./use-qr-codes.ts";

export function useCreateQrCode(linkId: string) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const request = useRef({ body: "", key: "" });
  /** The key of the request before, unless that made its code or was about another design. */
  const keyOf = (body: string): string => {
    if (request.current.body !== body) request.current = { body, key: newIdempotencyKey() };
    return request.current.key;
  };
  return useSingleMutation({
    mutationFn: (design: QrDesign) => {
      const json = newQrCode(linkId, design);
      const headers = { "Idempotency-Key": keyOf(JSON.stringify(json)) };
      return unwrap<QrCode>(api.qr.$post({ json }, { headers }));
    },
    onSuccess: async () => {
      request.current = { body: "", key: "" };
      notifySuccess(texts.created);
      await queries.invalidateQueries({ queryKey: qrCodesKey(mode, linkId) });
    },
  });
}
