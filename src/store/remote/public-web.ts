/**
 * Fetches public web pages and images on behalf of people. Redirects, bytes and time are limited. A host that resolves
 * to a private address is refused, at every redirect. Cloudflare's network never reaches private addresses; a
 * self-hosted runtime might. A hostile DNS server could change its answer between the check and the fetch: then only
 * the runtime's own network settings protect.
 */
import { fetchableUrl, isPublicAddress } from "../../core/http/public-web.ts";
import { createResolver, type DnsLookup } from "./dns.ts";

export interface FetchedFile {
  /** The URL after redirects. */
  url: URL;
  bytes: Uint8Array<ArrayBuffer>;
}

interface FetchLimits {
  /** Maximum bytes to read. */
  maxBytes: number;
  /** Whether a longer file is truncated or refused. */
  longer: "cut" | "refused";
  accept: string;
}

const REDIRECTS_MAX = 3;
const TIMEOUT_MS = 5_000;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);

/** Contains "bot", so that shorteners, including this one, count no visitor. */
const USER_AGENT = "Mozilla/5.0 (compatible; HoplinkPreviewBot/1.0)";

/** @returns null when the file cannot or must not be fetched; never throws */
export async function fetchPublicFile(env: Env, text: string, limits: FetchLimits): Promise<FetchedFile | null> {
  const lookup = createResolver(env);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    let url = fetchableUrl(text);
    for (let hop = 0; url && hop <= REDIRECTS_MAX; hop++) {
      if (!(await leadsToPublicAddress(lookup, url))) return null;
      const headers = { Accept: limits.accept, "User-Agent": USER_AGENT };
      const response = await fetch(url, { redirect: "manual", signal, headers });
      const next = REDIRECT_STATUSES.has(response.status) ? response.headers.get("Location") : null;
      if (next === null) return response.ok ? await readFile(url, response, limits) : await discard(response);
      await discard(response);
      url = fetchableUrl(next, url);
    }
  } catch (error) {
    console.warn("not fetched", { error: String(error) });
  }
  return null;
}

async function leadsToPublicAddress(lookup: DnsLookup, { hostname }: URL): Promise<boolean> {
  const name = hostname.replace(/\.$/, "");
  const answers = await Promise.all([lookup(name, "A"), lookup(name, "AAAA")]);
  const addresses = answers.flatMap((answer) =>
    answer.kind === "answer" ? answer.records.filter(({ type }) => type === "A" || type === "AAAA") : [],
  );
  return addresses.length > 0 && addresses.every(({ data }) => isPublicAddress(data));
}

async function readFile(url: URL, response: Response, { maxBytes, longer }: FetchLimits): Promise<FetchedFile | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    chunks.push(new Uint8Array(chunk));
    length += chunk.byteLength;
    if (length > maxBytes) break;
  }
  if (length > maxBytes && longer === "refused") return null;
  return { url, bytes: new Uint8Array(await new Blob(chunks).slice(0, maxBytes).arrayBuffer()) };
}

/** An unread body keeps its connection open. */
async function discard(response: Response): Promise<null> {
  await response.body?.cancel();
  return null;
}
