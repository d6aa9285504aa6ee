/**
 * Refuses OAuth's registration of clients where hosts of MCP look for it: somebody forgot the API key. Such a host was
 * answered 401, found no authorization server, and falls back to `/register` on the service's host (MCP of 2025-03-26). What
 * refuses it is all that it shows. `register` is no reserved word: links may have it, and are visited by other methods.
 */
import { hostsOf } from "../core/host-settings.ts";
import type { LinkAddress, UnmatchedAddress } from "./address.ts";

const REGISTRATION = { method: "POST", slug: "register" };

/** Null where a request is none. The form of the error is that of OAuth (RFC 7591, 3.2.2). */
export function refusedRegistration(
  { method, url }: Request,
  env: Env,
  address: LinkAddress | UnmatchedAddress,
): Response | null {
  if (method !== REGISTRATION.method || address.kind !== "link" || address.slug !== REGISTRATION.slug) return null;
  const { baseUrl, baseHostname } = hostsOf(env, url);
  if (new URL(url).hostname !== baseHostname) return null;
  const error_description = `There is no sign-in for MCP here: the header Authorization: Bearer <API key> is missing. See ${baseUrl}/docs/mcp`;
  const headers = { Allow: "GET, HEAD", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
  return Response.json({ error: "access_denied", error_description }, { status: 405, headers });
}
