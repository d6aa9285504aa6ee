/** `/.well-known` on the service's own host: what programs look for by a fixed name. No key needed. */
import { abuseContact } from "../core/abuse-contact.ts";
import { ApiError } from "../core/errors.ts";
import { API_CATALOG_PATH, API_CATALOG_TYPE, apiCatalog } from "../core/well-known/api-catalog.ts";
import { securityText } from "../core/well-known/security-txt.ts";
import { createHandlers } from "./context.ts";

const CACHE_CONTROL = "public, max-age=3600";

/** With the header `Link`, which RFC 9727 wants of a HEAD request. */
export const apiCatalogRoute = createHandlers((c) => {
  const { baseUrl } = c.var.hosts;
  return c.body(JSON.stringify(apiCatalog(baseUrl)), 200, {
    "Content-Type": API_CATALOG_TYPE,
    "Cache-Control": CACHE_CONTROL,
    "Access-Control-Allow-Origin": "*",
    Link: `<${baseUrl}${API_CATALOG_PATH}>; rel="api-catalog"`,
  });
});

/** @throws ApiError not_found without a contact: there is nobody to name */
export const securityTextRoute = createHandlers((c) => {
  const text = securityText(abuseContact(c.env), c.var.hosts.baseUrl, Date.now());
  if (text === null) throw new ApiError("not_found");
  return c.text(text, 200, { "Cache-Control": CACHE_CONTROL });
});
