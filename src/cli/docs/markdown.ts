/**
 * Renders a guide's Markdown as a page, with the anchors that GitHub generates. Constructs that GitHub would render
 * differently are errors: raw HTML, links inside headings, links to files that do not exist.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Marked, Renderer, type RendererObject, type Token, type Tokens } from "marked";

import { highlighted } from "./highlight.ts";
import { html, type Html, type HtmlPart, rawHtml } from "./html.ts";
import { GUIDES_FOLDER, siteAddress } from "./links.ts";
import { type ContentsEntry, type DocsPage, headingLink, type Section } from "./page.ts";

interface Heading {
  token: Tokens.Heading;
  id: string;
  text: string;
}

/** @param inserts  generated parts by name, which replace `<!-- name -->` in the Markdown */
export function guidePage(name: string, source: string, inserts: Readonly<Record<string, HtmlPart>> = {}): DocsPage {
  const tokens = new Marked().lexer(source);
  const headings = headingsOf(tokens);
  const [title] = headings;
  const description = tokens.find(({ type }) => type === "paragraph");
  if (title?.token.depth !== 1 || tokens[0] !== title.token || !description) {
    throw new Error("A guide begins with its title and one sentence of description");
  }
  const marked = new Marked({ renderer: renderer(headings, inserts) });
  return {
    path: `/docs/${name}`,
    title: title.text,
    description: textOf(description),
    contents: contentsOf(headings),
    main: rawHtml(marked.parser(tokens)),
    sections: sectionsOf(tokens, headings),
  };
}

function renderer(headings: readonly Heading[], inserts: Readonly<Record<string, HtmlPart>>): RendererObject {
  return {
    heading(token) {
      const { id } = headings.find((heading) => heading.token === token) ?? {};
      if (id === undefined) throw new Error(`The heading "${token.text}" stands inside a list or a quotation`);
      const content = rawHtml(this.parser.parseInline(token.tokens));
      const linked = token.depth === 1 ? content : headingLink(id, content);
      return `<h${token.depth} id="${id}">${html`${linked}`}</h${token.depth}>`;
    },
    link({ href, tokens }) {
      const text = rawHtml(this.parser.parseInline(tokens));
      const address = siteAddress(href);
      if (address.at === "site") return html`<a href="${address.path}">${text}</a>`.toString();
      if (tokens.every(({ type }) => type === "codespan")) return text.toString();
      return html`${text} (<code>${address.path}</code>)`.toString();
    },
    paragraph({ tokens }) {
      const content = this.parser.parseInline(tokens);
      // HTML allows no figure inside a paragraph.
      return tokens.every(({ type }) => type === "image") ? content : `<p>${content}</p>\n`;
    },
    image({ href }) {
      return diagram(href).toString();
    },
    code({ text, lang }) {
      return html`<pre><code class="language-${lang ?? "text"}">${highlighted(text, lang)}</code></pre>`.toString();
    },
    table(token) {
      return html`<div class="table-scroll" role="group" aria-label="Table" tabindex="0">
        ${rawHtml(Renderer.prototype.table.call(this, token))}
      </div>`.toString();
    },
    html({ text }) {
      const name = /^<!--(.*)-->$/s.exec(text.trim())?.[1]?.trim();
      if (name === undefined) throw new Error(`HTML in a guide: ${text}`);
      return html`${inserts[name]}`.toString();
    },
  };
}

function headingsOf(tokens: readonly Token[]): Heading[] {
  const taken = new Map<string, number>();
  return tokens.filter(isHeading).map((token) => {
    if (token.tokens.some(({ type }) => type === "link")) throw new Error(`A link inside a heading: ${token.text}`);
    const text = textOf(token);
    const anchor = anchorOf(text);
    const count = taken.get(anchor) ?? 0;
    taken.set(anchor, count + 1);
    return { token, text, id: count === 0 ? anchor : `${anchor}-${count}` };
  });
}

/** The anchor that GitHub generates. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

function contentsOf(headings: readonly Heading[]): ContentsEntry[] {
  const entries: (ContentsEntry & { below: ContentsEntry[] })[] = [];
  for (const { token, id, text } of headings) {
    const entry = { id, text, below: [] };
    if (token.depth === 2) entries.push(entry);
    if (token.depth === 3) entries.at(-1)?.below.push(entry);
  }
  return entries;
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  return headings.map(({ token, id, text }, index) => {
    const from = tokens.indexOf(token) + 1;
    const next = headings[index + 1];
    const inside = tokens.slice(from, next && tokens.indexOf(next.token));
    return { anchor: token.depth === 1 ? "" : id, heading: text, text: inside.map(textOf).join(" ") };
  });
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === "heading";
}

/** The visible text of a token. */
function textOf(token: Token): string {
  if (token.type === "html") return "";
  if (token.type === "list") return (token as Tokens.List).items.map(textOf).join(" ");
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows]
      .flat()
      .map(({ tokens }) => tokens.map(textOf).join(""))
      .join(" ");
  }
  if ("tokens" in token && token.tokens) return token.tokens.map(textOf).join("");
  return "text" in token ? String(token.text) : "";
}

const STYLE = /\s*<style>(.*?)<\/style>/s;

/**
 * GitHub shows diagrams as images. The site inlines them as elements, so that screen readers have their text and the
 * page's colors apply. Their common style moves to the site's stylesheet: the Content-Security-Policy of the pages forbids
 * inline styles.
 * @param href  of an image in a guide
 */
function diagram(href: string): Html {
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
