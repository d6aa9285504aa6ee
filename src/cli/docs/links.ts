/** Translates links in Markdown to addresses of the site, and finds dead links on the site. */
import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");
export const GUIDES_FOLDER = join(ROOT, "src/docs");

/** An address on the site or the web, or a file of the repository that is not on the site. */
export type Address = { at: "site" | "repository"; path: string };

/**
 * @param href  as written in a guide
 * @throws Error when it names a file that does not exist
 */
export function siteAddress(href: string): Address {
  if (/^(https?:|mailto:|[#/])/.test(href)) return { at: "site", path: href };
  const [path = "", anchor] = href.split("#");
  const file = relative(ROOT, resolve(GUIDES_FOLDER, path));
  if (file.startsWith("..") || !existsSync(join(ROOT, file))) throw new Error(`${href} leads to no file`);
  if (file === "src/api/openapi/openapi.json") return { at: "site", path: "/openapi.json" };
  if (dirname(file) !== "src/docs" || !file.endsWith(".md")) return { at: "repository", path: file };
  return { at: "site", path: `/docs/${basename(file, ".md")}${anchor === undefined ? "" : `#${anchor}`}` };
}

/**
 * @param files  contents by address, pages as HTML
 * @returns links to a missing file or anchor, as `page: link`; links to other hosts and to the dashboard are not checked
 */
export function deadLinks(files: ReadonlyMap<string, string>): string[] {
  const ids = new Map([...files].map(([path, text]) => [path, new Set(attributes(text, "id"))]));
  return [...files].flatMap(([from, text]) =>
    attributes(text, "href|src")
      .filter((link) => !/^(https?:|mailto:|\/dashboard$)/.test(link))
      .filter((link) => {
        const [path, anchor] = link.split("#");
        const there = ids.get(path || from);
        return !there || (anchor !== undefined && !there.has(anchor));
      })
      .map((link) => `${from}: ${link}`),
  );
}

function attributes(page: string, name: string): string[] {
  return [...page.matchAll(new RegExp(`<[^>]* (?:${name})="([^"]*)"`, "g"))].map(([, value = ""]) => value);
}
