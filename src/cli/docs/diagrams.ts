/**
 * Diagrams of the guides. GitHub shows the SVG files as images; the site inlines them as elements, so that screen
 * readers have their text and the page's colours apply. Their common style moves to the site's stylesheet, because the
 * Content-Security-Policy of the pages forbids inline styles.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { type Html, html, rawHtml } from "./html.ts";
import { GUIDES_FOLDER } from "./links.ts";

const STYLE = /\s*<style>(.*?)<\/style>/s;

/** @param href  of an image in a guide */
export function diagram(href: string): Html {
  if (!/^diagrams\/[\w-]+\.svg$/.test(href)) throw new Error(`${href} is no diagram`);
  const svg = readFileSync(join(GUIDES_FOLDER, href), "utf8");
  const [, title] = /<title id="[\w-]+">(.*?)<\/title>/s.exec(svg) ?? [];
  if (title === undefined || !svg.includes("<desc id=")) throw new Error(`${href} lacks a title or a description`);
  return html`<figure class="diagram" role="group" aria-label="Diagram: ${title}" tabindex="0">
    ${rawHtml(svg.replace(STYLE, ""))}
  </figure>`;
}

/** The diagrams' common style, for the stylesheet. */
export function diagramStyle(): string {
  const folder = join(GUIDES_FOLDER, "diagrams");
  const names = readdirSync(folder).filter((name) => name.endsWith(".svg"));
  const styles = new Set(names.map((name) => STYLE.exec(readFileSync(join(folder, name), "utf8"))?.[1]));
  const [style] = styles;
  if (styles.size !== 1 || style === undefined) throw new Error("The diagrams differ in style");
  return `.diagram {${style}}\n`;
}
