/** Agents for tests inside workerd, whose requests go through the Worker's own fetch. */
import { exports } from "cloudflare:workers";

import { type Agent, connect, type Era } from "./agent.ts";
import { BASE_URL, type TestAccount } from "./test-accounts.ts";

/** An agent that uses the key of an account. */
export function connectAgent({ key }: TestAccount, era: Era = "2025, with initialize"): Promise<Agent> {
  const send = (url: string | URL | Request, init?: RequestInit) => exports.default.fetch(new Request(url, init));
  return connect(BASE_URL, key, era, send as typeof fetch);
}
