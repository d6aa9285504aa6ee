/**
 * DNS over HTTPS (RFC 8484) at `DOH_URL`. Never throws: a timeout or an unreachable resolver is returned as `silent`.
 * Uses POST, because caches may store responses to GET, and a record that was just set must be visible.
 */
import type { DecodedPacket } from "dns-packet";

import type { DnsAnswer, DnsRecord } from "../../core/domains/domain-verification.ts";
import { isFetchTimeout } from "../timeout.ts";

/** Time limit for all queries of one check; the API request waits for them. */
const DNS_TIMEOUT_MS = 5_000;
/** Used unless the operator sets another resolver. */
const DOH_URL = "https://cloudflare-dns.com/dns-query";
const DNS_MESSAGE_TYPE = "application/dns-message";

/** Queries the records of a name without its final dot. */
export type DnsLookup = (name: string, type: DnsRecord["type"]) => Promise<DnsAnswer>;

/** A resolver for one check. Its time limit starts now. */
export function createResolver(env: Env): DnsLookup {
  const deadline = AbortSignal.timeout(DNS_TIMEOUT_MS);
  return async (name, type) => {
    try {
      return await queryDns(env, name, type, deadline);
    } catch (error) {
      if (isFetchTimeout(error)) return { kind: "silent", why: "the resolver did not respond in time" };
      console.warn("DNS not answered", { name, type, error: String(error) });
      return { kind: "silent", why: "the resolver could not be reached or returned an invalid response" };
    }
  };
}

async function queryDns(env: Env, name: string, type: DnsRecord["type"], signal: AbortSignal): Promise<DnsAnswer> {
  const { decode, encode, RECURSION_DESIRED } = await import("dns-packet");
  const message = encode({ type: "query", id: 0, flags: RECURSION_DESIRED, questions: [{ type, name }] });
  const response = await fetch(env.DOH_URL || DOH_URL, {
    method: "POST",
    headers: { Accept: DNS_MESSAGE_TYPE, "Content-Type": DNS_MESSAGE_TYPE },
    body: Uint8Array.from(message),
    signal,
  });
  const bytes: Buffer = Buffer.from(await response.arrayBuffer());
  if (!response.ok) return { kind: "silent", why: `the resolver returned ${response.status}` };
  return dnsAnswerOf(decode(bytes));
}

/** The declared type lacks `rcode`, which the library sets. */
type DecodedResponse = DecodedPacket & { rcode?: string };

function dnsAnswerOf({ answers = [], rcode = "NOERROR" }: DecodedResponse): DnsAnswer {
  const records = answers.flatMap((answer): DnsRecord[] => {
    if (answer.type === "TXT") return [{ type: "TXT", name: answer.name, data: txtDataOf(answer.data) }];
    if (answer.type !== "CNAME" && answer.type !== "A" && answer.type !== "AAAA") return [];
    return [{ type: answer.type, name: answer.name, data: answer.data }];
  });
  return { kind: "answer", rcode, records };
}

/** A TXT record consists of strings of at most 255 bytes, which are joined. */
function txtDataOf(data: string | Buffer | (string | Buffer)[]): string {
  const strings = Array.isArray(data) ? data : [data];
  return Buffer.concat(strings.map((part) => Buffer.from(part))).toString("utf8");
}
