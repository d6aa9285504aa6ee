/**
 * Questions to DNS over HTTPS (RFC 8484) at `DOH_URL`. Never throws: no answer is an answer of its own.
 * POST, because answers to GET may be kept by caches, and a record that was just set must be seen.
 */
import type { DecodedPacket } from "dns-packet";

import type { DnsAnswer, DnsRecord } from "../core/domain-records.ts";
import { isTimeout } from "./patience.ts";

/** For all questions of one check: whoever polls waits for them. */
const PATIENCE_MS = 5_000;
const MESSAGE_TYPE = "application/dns-message";

/** Asks for the records of a name, given without the final dot. */
export type LookUp = (name: string, type: DnsRecord["type"]) => Promise<DnsAnswer>;

/** A resolver for one check. Its time runs from now on. */
export function resolver(env: Env): LookUp {
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  return async (name, type) => {
    try {
      return await ask(env, name, type, deadline);
    } catch (error) {
      if (isTimeout(error)) return { kind: "silent", why: "the resolver gave no answer in time" };
      console.warn("DNS not answered", { name, type, error: String(error) });
      return { kind: "silent", why: "the resolver cannot be reached or does not answer as it should" };
    }
  };
}

async function ask(env: Env, name: string, type: DnsRecord["type"], signal: AbortSignal): Promise<DnsAnswer> {
  const { decode, encode, RECURSION_DESIRED } = await import("dns-packet");
  const question = encode({ type: "query", id: 0, flags: RECURSION_DESIRED, questions: [{ type, name }] });
  const response = await fetch(env.DOH_URL, {
    method: "POST",
    headers: { Accept: MESSAGE_TYPE, "Content-Type": MESSAGE_TYPE },
    body: Uint8Array.from(question),
    signal,
  });
  const bytes: Buffer = Buffer.from(await response.arrayBuffer());
  if (!response.ok) return { kind: "silent", why: `the resolver answered ${response.status}` };
  return answerOf(decode(bytes));
}

/** The declared type lacks `rcode`, which the library sets. */
type Decoded = DecodedPacket & { rcode?: string };

function answerOf({ answers = [], rcode = "NOERROR" }: Decoded): DnsAnswer {
  const records = answers.flatMap((answer): DnsRecord[] => {
    if (answer.type === "TXT") return [{ type: "TXT", name: answer.name, data: textOf(answer.data) }];
    if (answer.type !== "CNAME" && answer.type !== "A" && answer.type !== "AAAA") return [];
    return [{ type: answer.type, name: answer.name, data: answer.data }];
  });
  return { kind: "answer", rcode, records };
}

/** A TXT record is cut into strings of at most 255 bytes, which belong together. */
function textOf(data: string | Buffer | (string | Buffer)[]): string {
  const strings = Array.isArray(data) ? data : [data];
  return Buffer.concat(strings.map((part) => Buffer.from(part))).toString("utf8");
}
