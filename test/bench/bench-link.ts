/** The link whose object the benchmark fills: five rules, changed twice in its life. */
import type { LinkSnapshot } from "../../src/core/links/link-snapshot.ts";
import { RULES } from "./click-mix.ts";

const COUNTRIES = ["DE", "FR", "JP", "BR", "US"];

export function snapshotAt(revision: number): LinkSnapshot {
  return {
    id: "lnk_bench",
    accountId: "acc_bench",
    mode: "live",
    origin: "api",
    domain: "bench.example",
    slug: "bench",
    url: "https://example.com/",
    routing: Array.from({ length: RULES }, (_, rule) => ({
      if: { country: [COUNTRIES[rule] ?? ""] },
      to: `https://example.com/${revision}/${rule}`,
    })),
    expiresAt: null,
    revision,
    state: "active",
    qrKey: "00112233445566778899aabbccddeeff",
  };
}
