import { type Link, LinkPage } from "../../src/core/contract/links.ts";
import { ApiClient } from "../support/api-client.ts";
import type { DevServer } from "../support/dev-server.ts";

const SLUG = "autumn-sale";

/** @returns the demo's busiest link @throws Error when the server has no demo data */
export async function demoLink({ base, accounts }: DevServer): Promise<Link> {
  const found = await new ApiClient(base, accounts.Premium.live).call("GET", `/v1/links?slug=${SLUG}`);
  const [link] = LinkPage.parse(found).data;
  if (!link) throw new Error(`the demo has no link ${SLUG}`);
  return link;
}
