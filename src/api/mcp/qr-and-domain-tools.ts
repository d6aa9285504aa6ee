/**
 * Tools for QR codes of links, and for the account's own short domains. Arguments and results are described as far as
 * agents need it, since they read the schemas of all tools.
 */
import * as z from "zod";

import { CreateDomain, Domain, DomainPage, ListDomainsQuery, UpdateDomain } from "../../core/contract/domains.ts";
import { CreateQrCode, ListQrCodesQuery, QrCode, QrCodePage, UpdateQrCode } from "../../core/contract/qr-codes.ts";
import { defineTool, IdempotencyKey, idempotencyHeader, pageLimit, pathId, TOOL_PAGE_MAX } from "./tool.ts";

const BriefQrCode = z.looseObject(QrCode.pick({ id: true, link_id: true, url: true, scans: true, name: true }).shape);

export const listQrCodes = defineTool({
  name: "list_qr_codes",
  title: "List QR codes",
  description:
    "Lists QR codes, newest first, of the account or of one link, with the URLs of their images and their scans. While has_more is true, continue with next_cursor as cursor. For scans over time, use get_link_stats with group_by qr.",
  scopes: ["qr:read"],
  effect: "reads",
  input: z.strictObject({ ...ListQrCodesQuery.shape, limit: pageLimit("codes") }),
  output: z.strictObject({ ...QrCodePage.shape, data: z.array(BriefQrCode) }),
  run: async ({ limit = TOOL_PAGE_MAX.default, ...query }, { api }) =>
    (await api({ method: "GET", path: "/qr", query: { ...query, limit } })).body as QrCodePage,
});

export const createQrCode = defineTool({
  name: "create_qr_code",
  title: "Create a QR code",
  description:
    "Draws a QR code of a link and returns the URL of the image, for the user to open or print. Its scans are counted apart from those of other codes. The image never changes; when the link's destination changes, the code leads to the new one. Only link_id is required.",
  scopes: ["qr:write"],
  effect: "creates",
  // An agent has no logo to send as a data URI.
  input: CreateQrCode.omit({ logo: true, margin: true, ecc: true, archived: true }).extend({
    idempotency_key: IdempotencyKey,
  }),
  output: BriefQrCode,
  run: async ({ idempotency_key: key, ...body }, { api }) =>
    (await api({ method: "POST", path: "/qr", body, headers: idempotencyHeader(key) })).body as QrCode,
});

export const updateQrCode = defineTool({
  name: "update_qr_code",
  title: "Rename or archive a QR code",
  description: "Changes the name of a QR code, or whether lists leave it out. Printed codes keep working.",
  scopes: ["qr:write"],
  effect: "changes",
  input: UpdateQrCode.extend({ id: pathId("QR code", "qr_01kajm2t4g8q5v7w9x3y6z1a2b", "from list_qr_codes") }),
  output: BriefQrCode,
  run: async ({ id, ...body }, { api }) => (await api({ method: "PATCH", path: `/qr/${id}`, body })).body as QrCode,
});

const BriefDomain = z.looseObject(Domain.pick({ id: true, domain: true, status: true }).shape);
const CheckedDomain = BriefDomain.extend({
  records: z.array(z.looseObject({})).meta({ description: "DNS records to set, each with the result of its check." }),
});

/** Without the files for apps, which may have a megabyte. */
function withoutFiles(reply: unknown): Domain {
  const { well_known: _files, ...domain } = reply as Domain;
  return domain;
}

export const listDomains = defineTool({
  name: "list_domains",
  title: "List domains",
  description:
    "Lists the account's own short domains, newest first, with the results of their last checks. create_link accepts active ones as domain. While has_more is true, continue with next_cursor as cursor.",
  scopes: ["domains:read"],
  effect: "reads",
  input: z.strictObject({ ...ListDomainsQuery.shape, limit: pageLimit("domains") }),
  output: z.strictObject({ ...DomainPage.shape, data: z.array(BriefDomain) }),
  run: async ({ limit = TOOL_PAGE_MAX.default, ...query }, { api }) => {
    const page = (await api({ method: "GET", path: "/domains", query: { ...query, limit } })).body as DomainPage;
    return { ...page, data: page.data.map(withoutFiles) };
  },
});

const DomainIdIn = pathId("domain", "dom_01kajm2t4g8q5v7w9x3y6z1a2b", "from list_domains");

export const getDomain = defineTool({
  name: "get_domain",
  title: "Check a domain",
  description:
    "Checks a domain's DNS records, at most every ten seconds, and returns which of them are missing or wrong, and why.",
  scopes: ["domains:read"],
  effect: "reads",
  input: z.strictObject({ id: DomainIdIn }),
  output: CheckedDomain,
  run: async ({ id }, { api }) => withoutFiles((await api({ method: "GET", path: `/domains/${id}` })).body),
});

export const createDomain = defineTool({
  name: "create_domain",
  title: "Add a domain",
  description:
    "Adds a short domain that the user owns, and returns the DNS records that the user must set. Then call get_domain until its status is active.",
  scopes: ["domains:write"],
  effect: "creates",
  input: CreateDomain.pick({ domain: true }).extend({ idempotency_key: IdempotencyKey }),
  output: CheckedDomain,
  run: async ({ idempotency_key: key, ...body }, { api }) =>
    withoutFiles((await api({ method: "POST", path: "/domains", body, headers: idempotencyHeader(key) })).body),
});

export const updateDomain = defineTool({
  name: "update_domain",
  title: "Change the settings of a domain",
  description:
    "Changes where a domain sends visitors who find no link, and its other settings. Omitted settings are unchanged.",
  scopes: ["domains:write"],
  effect: "changes",
  input: UpdateDomain.extend({
    id: DomainIdIn,
    well_known: UpdateDomain.shape.well_known.meta({
      description: "Files with which apps open links of the domain. Replaces both; `null` removes both.",
    }),
  }),
  output: BriefDomain,
  run: async ({ id, ...body }, { api }) =>
    withoutFiles((await api({ method: "PATCH", path: `/domains/${id}`, body })).body),
});
