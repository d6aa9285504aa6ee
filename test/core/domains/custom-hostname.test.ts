import { describe, expect, test } from "vitest";

import {
  AWAITS_DNS,
  type CustomHostname,
  HOSTNAME_GONE_CODE,
  type HostnameOutcome,
  judgeHostname,
  needsRevalidation,
} from "../../../src/core/domains/custom-hostname.ts";
import type { Finding } from "../../../src/core/domains/domain-verification.ts";

type Again = (HostnameOutcome & { kind: "hostname" })["again"];

describe("10 Cloudflare's reports on a hostname", () => {
  const later = "It is validated again as soon as the other records are correct.";
  const started = "Validation has been started again.";
  const unconfirmed =
    "Cloudflare has not confirmed the request to validate it again. The next check repeats the request.";
  const blocked = "Cloudflare blocks this name. Its owner must ask Cloudflare for the reason.";

  test.each<[string, string, Again, Finding]>([
    ["active", "active", null, { status: "active", reason: null }],
    ["active_redeploying", "active", null, { status: "active", reason: null }],
    [
      "active",
      "pending_validation",
      null,
      { status: "pending", reason: "The certificate is being issued (pending_validation)." },
    ],
    ["active", "initializing", null, { status: "pending", reason: "The certificate is being issued (initializing)." }],
    ...["expired", "inactive", "deactivating", "deleted", "pending_deletion"].map(
      (ended): [string, string, Again, Finding] => [
        "active",
        ended,
        null,
        { status: "failed", reason: `The certificate is not in service (${ended}).` },
      ],
    ),
    ["pending", "active", null, { status: "pending", reason: "Cloudflare is validating the name (pending)." }],
    ["pending", "expired", null, { status: "pending", reason: "Cloudflare is validating the name (pending)." }],
    ["blocked", "active", null, { status: "failed", reason: blocked }],
    ["pending_blocked", "validation_timed_out", null, { status: "failed", reason: blocked }],
    ["moved", "active", null, { status: "failed", reason: `Cloudflare no longer serves the name (moved). ${later}` }],
    [
      "deleted",
      "active",
      "started",
      { status: "failed", reason: `Cloudflare no longer serves the name (deleted). ${started}` },
    ],
    [
      "active",
      "validation_timed_out",
      "unconfirmed",
      { status: "failed", reason: `The certificate was not issued (validation_timed_out). ${unconfirmed}` },
    ],
    [
      "active_redeploying",
      "issuance_timed_out",
      null,
      { status: "failed", reason: `The certificate was not issued (issuance_timed_out). ${later}` },
    ],
  ])("%s, its certificate %s, validation again %j", (status, certificateStatus, again, finding) => {
    const hostname: CustomHostname = { id: "h1", status, certificateStatus, errors: [] };
    expect(judgeHostname({ kind: "hostname", hostname, again })).toEqual(finding);
  });

  test.each([
    ["pending", "active", "Cloudflare is validating the name (pending)."],
    ["active", "expired", "The certificate is not in service (expired)."],
    ["active", "initializing", "The certificate is being issued (initializing)."],
    ["moved", "active", `Cloudflare no longer serves the name (moved). ${later}`],
    ["blocked", "active", blocked],
  ])("%s, its certificate %s: the finding includes the complaints", (status, certificateStatus, reason) => {
    const hostname: CustomHostname = { id: "h1", status, certificateStatus, errors: ["no CAA", "no TXT"] };
    expect(judgeHostname({ kind: "hostname", hostname, again: null }).reason).toBe(
      `${reason} Cloudflare says: no CAA; no TXT`,
    );
  });

  test.each([
    ["moved", "active", true],
    ["deleted", "active", true],
    ["active", "validation_timed_out", true],
    ["pending", "deployment_timed_out", true],
    ["active", "active", false],
    ["pending", "pending_validation", false],
    ["active", "deleted", false],
  ])("%s, its certificate %s, must be validated again: %s", (status, certificateStatus, must) => {
    expect(needsRevalidation({ id: "h1", status, certificateStatus, errors: [] })).toBe(must);
  });
});

describe("10 refusals by Cloudflare", () => {
  const operator = "Cloudflare refuses this service's requests. Its operator must fix this.";
  const token = "Cloudflare refuses this service's token. Its operator must renew it.";
  const quota = "This service has used all of its custom hostnames. Its operator must raise the quota.";

  test.each<[number, number | null, Finding]>([
    [429, null, { status: "unknown", reason: "Cloudflare limits the rate of requests (429). It will be retried." }],
    [429, 1407, { status: "unknown", reason: "Cloudflare limits the rate of requests (429). It will be retried." }],
    [500, null, { status: "unknown", reason: "Cloudflare returned an error (500). It will be retried." }],
    [503, 1404, { status: "unknown", reason: "Cloudflare returned an error (503). It will be retried." }],
    [499, null, { status: "unknown", reason: operator }],
    [400, 1404, { status: "failed", reason: quota }],
    [403, 1405, { status: "failed", reason: quota }],
    ...[1407, 1408, 1409, 1410, 1411].map((code): [number, number, Finding] => [
      400,
      code,
      { status: "failed", reason: `Cloudflare refuses this name (${code}): it is odd` },
    ]),
    [400, 1406, { status: "unknown", reason: operator }],
    [404, 1436, { status: "pending", reason: "Requested as soon as the other records are correct." }],
    [401, null, { status: "unknown", reason: token }],
    [403, 9109, { status: "unknown", reason: token }],
    [404, null, { status: "unknown", reason: operator }],
  ])("%i with code %j", (status, code, finding) => {
    expect(judgeHostname({ kind: "refused", status, code, message: "it is odd" })).toEqual(finding);
  });

  test("no answer says nothing about the name", () => {
    expect(judgeHostname({ kind: "silent", why: "it is silent" })).toEqual({
      status: "unknown",
      reason: "Cloudflare could not be reached, because it is silent.",
    });
  });

  test("a hostname that no longer exists is created again", () => {
    expect(judgeHostname({ kind: "refused", status: 404, code: HOSTNAME_GONE_CODE, message: "" })).toBe(AWAITS_DNS);
  });
});
