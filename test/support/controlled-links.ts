/**
 * Links with each control of visits, and the responses that their visitors get. Whatever copies or moves links, or serves
 * them in another release, must keep both.
 */
import type { CreateLink } from "../../src/core/contract/links.ts";

export const LINK_PASSWORD = "Grüße 🌷 of a link";

export const DESTINATION = "https://example.com/to";
const FALLBACK = "https://example.com/soon";
const REDIRECTED = `302 ${DESTINATION}`;

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

interface Visit {
  /** What follows the short URL. */
  path?: string;
  headers?: Record<string, string>;
  form?: { password: string };
}

const VISITS = {
  plain: {},
  preview: { headers: { "User-Agent": "Twitterbot/1.0" } },
  below: { path: "/a/b" },
  peek: { path: "+" },
  right: { form: { password: LINK_PASSWORD } },
  wrong: { form: { password: "wrong password" } },
} satisfies Record<string, Visit>;

type Seen = Partial<Record<keyof typeof VISITS, string>>;

export interface Control {
  name: string;
  /** Members besides the destination. @param prefix  begins a slug that is unique */
  fields: (prefix: string) => Omit<CreateLink, "url">;
  /** Status, `Location` and `noindex` of redirects, status and title of pages, status of errors. */
  gets: Seen & { plain: string };
  /** Whether a release that does not know the control must not redirect. */
  isClosing?: true;
}

const card = { title: "Card", description: "Text", image: "https://example.com/card.png" };

export const CONTROLS: readonly Control[] = [
  { name: "none", fields: () => ({}), gets: { plain: REDIRECTED, below: "404", peek: "200 Where this link goes" } },
  { name: "paused", fields: () => ({ paused: true }), gets: { plain: "404", preview: "404" }, isClosing: true },
  {
    name: "paused with a fallback",
    fields: () => ({ paused: true, fallback_url: FALLBACK, redirect_status: 308 }),
    gets: { plain: `302 ${FALLBACK}` },
    isClosing: true,
  },
  { name: "archived", fields: () => ({ archived: true }), gets: { plain: REDIRECTED } },
  {
    name: "password",
    fields: () => ({ password: LINK_PASSWORD, social: card }),
    gets: { plain: "401", preview: "401", right: `303 ${DESTINATION}`, wrong: "401" },
    isClosing: true,
  },
  { name: "social", fields: () => ({ social: card }), gets: { plain: REDIRECTED, preview: "200 Card" } },
  {
    name: "forward_path",
    fields: () => ({ forward_path: true }),
    gets: { plain: REDIRECTED, below: `${REDIRECTED}/a/b` },
  },
  {
    name: "redirect_status and noindex",
    fields: () => ({ redirect_status: 301, noindex: true }),
    gets: { plain: `301 ${DESTINATION} noindex` },
  },
  {
    name: "segments of any script",
    fields: (prefix) => ({ slug: `${prefix}Straße/ü-🌷` }),
    gets: { plain: REDIRECTED, below: "404" },
  },
];

/** A request that is not followed. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The responses to the visits that a control lists. */
export async function seenByVisitors(
  shortUrl: string,
  { gets }: Pick<Control, "gets">,
  fetchVisit: Fetch,
): Promise<Seen> {
  const seen: Seen = {};
  for (const kind of Object.keys(gets) as (keyof typeof VISITS)[]) {
    const { path = "", headers = {}, form }: Visit = VISITS[kind];
    const init = form ? { method: "POST", headers: FORM, body: new URLSearchParams(form).toString() } : { headers };
    seen[kind] = await outcomeOf(await fetchVisit(shortUrl + path, { redirect: "manual", ...init }));
  }
  return seen;
}

async function outcomeOf(response: Response): Promise<string> {
  const { status, headers } = response;
  const [, title = ""] = /<title>(.*?)<\/title>/.exec(await response.text()) ?? [];
  const location = headers.get("Location");
  if (location !== null) return [status, location, headers.get("X-Robots-Tag") ?? []].flat().join(" ");
  return status === 200 ? `200 ${title}` : String(status);
}
