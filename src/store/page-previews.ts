/** How a page looks when it is shared: what social networks read in its head. */
import type { PagePreview } from "../core/contract/dashboard.ts";
import { fetchableUrl } from "../core/http/public-web.ts";
import { readPageHead } from "./remote/page-head.ts";
import { fetchPublicFile } from "./remote/public-web.ts";

const PAGE_MAX_BYTES = 512 * 1024;

/** @returns null when the page cannot or must not be fetched */
export async function readPreview(env: Env, url: string): Promise<PagePreview | null> {
  const limits = { maxBytes: PAGE_MAX_BYTES, longer: "cut", accept: "text/html" } as const;
  const page = await fetchPublicFile(env, url, limits);
  if (!page) return null;
  const { metas, title } = await readPageHead(page);
  const image = metas.get("og:image") ?? metas.get("twitter:image");
  return {
    title: metas.get("og:title") ?? metas.get("twitter:title") ?? title,
    description: metas.get("og:description") ?? metas.get("twitter:description") ?? metas.get("description") ?? null,
    site_name: metas.get("og:site_name") ?? null,
    image: (image && fetchableUrl(image, page.url)?.href) ?? null,
  };
}
