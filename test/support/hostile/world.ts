/**
 * The targets of hostile requests: an operator's account on the Premium plan with a link, a rule, a QR code, a domain,
 * a key and a session.
 */
import { env } from "cloudflare:workers";

import type { Domain } from "../../../src/core/contract/domains.ts";
import type { Link } from "../../../src/core/contract/links.ts";
import type { QrCode } from "../../../src/core/contract/qr-codes.ts";
import { parseApiKey } from "../../../src/core/identifiers.ts";
import { changePlan, setOperator } from "../../../src/store/accounts/accounts.ts";
import { issueKeyText } from "../../../src/store/accounts/api-keys.ts";
import { type BrowserSession, PASSWORD, signedUp } from "../browser-session.ts";
import { BASE_URL, TestAccount } from "../test-accounts.ts";
import type { Source } from "./fitting-values.ts";
import type { OperationGroup } from "./operations.ts";

/** The sender of the requests. */
export interface Holder {
  ann: TestAccount;
  browser: BrowserSession;
}

/** What requests are about. */
interface Targets {
  domain: Domain;
  link: Link;
  code: QrCode;
}

export interface World extends Pick<Source, "known" | "texts"> {
  targets: Targets;
  headers: Record<OperationGroup, Record<string, string>>;
}

/** On no host of `texts`: a request that adds that host as a domain would make each later link a loop. */
const URL = "https://destination.example/spring?utm_source=poster#a";
const LOGO =
  "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><path d='M0 0h9v9z'/></svg>";

export async function newHolder(): Promise<Holder> {
  const browser = await signedUp();
  const { id: accountId, email } = await browser.account();
  await changePlan(env, email, "premium");
  await setOperator(env, email, true);
  return { browser, ann: new TestAccount(email, accountId, await issueKeyText(env, accountId, "live", "hostile")) };
}

/** @param kept  targets that still exist */
export async function newWorld(
  { ann, browser }: Holder,
  operatorToken: string,
  kept: Partial<Targets> = {},
): Promise<World> {
  const { accountId, email, key } = ann;
  const domain = kept.domain ?? (await ann.activeDomain());
  const link = kept.link ?? (await createLink(ann));
  const code = (kept.link && kept.code) ?? (await ann.createQrCode(link, { format: "svg" }));
  // A challenge, without which nothing reads a browser's answers about a passkey.
  await browser.call("GET", "/dashboard/api/auth/passkey/generate-register-options");
  const Authorization = `Bearer ${key}`;
  const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const session = { Cookie, Origin: BASE_URL, "Sec-Fetch-Site": "same-origin", "CF-Connecting-IP": browser.ip };
  const free = crypto.randomUUID();
  return {
    targets: { domain, link, code },
    headers: {
      v1: { Authorization },
      mcp: { Authorization },
      dashboard: session,
      "sign-in": session,
      operator: { Authorization: `Bearer ${operatorToken}` },
      public: {},
    },
    known: new Map(
      Object.entries({
        id: link.id,
        link_id: link.id,
        "links/id": link.id,
        "qr/id": code.id,
        "domains/id": domain.id,
        "keys/id": parseApiKey(key)?.id ?? "",
        qr: code.id,
        name: code.url.slice(code.url.lastIndexOf("/") + 1),
        visited: link.slug,
        short_url: link.short_url,
        domain: domain.domain,
        revision: "1",
        "If-Match": '"1"',
        "If-None-Match": '"2"',
        "Content-Encoding": "identity",
        url: URL,
        to: URL,
        fallback_url: URL,
        root_url: URL,
        not_found_url: URL,
        expired_url: URL,
        logo: LOGO,
        fg: "#102030",
        bg: "#FFFFFF",
        timezone: "Europe/Berlin",
        tz: "America/St_Johns",
        account: accountId,
        mode: "live",
        format: "csv",
        guide: "links.md",
        host: "example.com",
        email,
        password: PASSWORD,
        currentPassword: PASSWORD,
        newPassword: PASSWORD,
        callbackURL: "/dashboard",
      }),
    ),
    texts: [
      link.id,
      code.id,
      link.slug,
      `go.${free}.example`,
      `${free}@example.com`,
      free.slice(0, 8),
      URL,
      `2026-01-01T00:00:00.000Z,${link.id},1`,
      `1-zik0zj-${link.id}`,
      "DE",
      "US-TX",
      "de-CH",
      "Berlin",
      "example.com",
      "spring",
      "Spring sale",
      "1",
      "09:00",
      "#1A2B3C",
      "a,b",
    ],
  };
}

function createLink(ann: TestAccount): Promise<Link> {
  const routing = [{ if: { country: "DE" }, to: URL }];
  return ann.createLink({ url: URL, routing, title: "Spring", tags: ["spring"] });
}
