/** Files for apps on custom domains. Loaded when the first one is requested. */
import type { WellKnownFile } from "../core/domains/well-known-files.ts";
import { findWellKnownContents } from "../store/domains/well-known-contents.ts";
import { DomainLookup } from "./domain-lookup.ts";
import { rateLimitedPage } from "./error-pages.ts";

const BYTES_PER_CHAR = 2;

const contents = new DomainLookup(findWellKnownContents, (content) => BYTES_PER_CHAR * content.length);

/** Vendors and devices read the files seldom, so that this saves few requests; owners see their changes soon. */
const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "public, max-age=300",
  "X-Content-Type-Options": "nosniff",
};

/**
 * @returns null if the domain does not have the file
 * @throws UnavailableError
 */
export async function respondWithFile(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  domain: string,
  file: WellKnownFile,
): Promise<Response | null> {
  const key = { name: `${domain}/${file}`, domain, file };
  const lookup = await contents.find(env, ctx, key, request.headers);
  if (lookup.kind === "limited") return rateLimitedPage(request, lookup.seconds);
  return lookup.value === null ? null : new Response(lookup.value, { headers: HEADERS });
}
