/**
 * Renders Markdown as a page, with the anchors that GitHub generates. Constructs that GitHub would render differently
 * are errors: raw HTML, links inside headings, links to files that do not exist.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

import GithubSlugger from "github-slugger";
import hljs from "highlight.js";
import { html, raw } from "hono/html";
import { Lexer, Marked, Parser, Renderer, type RendererObject } from "marked";

const ROOT = resolve(import.meta.dirname, "../../..");
export const GUIDES_FOLDER = join(ROOT, "src/docs");

export interface Page {
  title: string;
  /** One sentence for search engines and link previews. */
  description: string;
  sections: readonly Section[];
}

/** A heading and the text below it, up to the next heading. */
interface Section {
  depth: number;
  /** The anchor of its heading. */
  id: string;
  heading: string;
  html: string;
  /** Indexed by the search: Markdown. */
  text: string;
}

/**
 * @param markdown  begins with the title and one sentence of description; `{#id}` at the end of a heading is its anchor
 * @param inserts  HTML by name, which replaces `<!-- name -->`; other comments are dropped
 */
export function renderPage(markdown: string, inserts: Readonly<Record<string, string>> = {}): Page {
  const marked = new Marked({ renderer: renderer(inserts), async: false });
  const slugger = new GithubSlugger();
  const sections: Section[] = [];
  const tokens = marked.lexer(markdown);
  for (const token of tokens) {
    const last = sections.at(-1);
    if (token.type !== "heading") {
      if (!last) break;
      last.html += marked.parser([token]);
      last.text += token.raw.replaceAll(/\]\([^)]*\)|<!--.*?-->/g, "");
      continue;
    }
    const [, source = "", anchor] = /^(.*?)(?: \{#(.+)\})?$/.exec(token.text) ?? [];
    const content = marked.parseInline(source, { async: false });
    const heading = plainText(source);
    if (content.includes("<a ")) throw new Error(`A link inside a heading: ${heading}`);
    const [id, depth] = [anchor ?? slugger.slug(heading), Number(token.depth)];
    const linked = depth === 1 ? content : `<a class="anchor" href="#${id}">${content}</a>`;
    sections.push({ depth, id, heading, html: `<h${depth} id="${id}">${linked}</h${depth}>\n`, text: "" });
  }
  const description = tokens.find(({ type }) => type === "paragraph");
  if (sections[0]?.depth !== 1 || !description) {
    throw new Error("A guide begins with its title and one sentence of description");
  }
  return { title: sections[0].heading, description: plainText(description.raw), sections };
}

/** For text without headings. */
export function renderText(markdown: string): string {
  return new Marked({ renderer: renderer({}) }).parse(markdown, { async: false });
}

function plainText(markdown: string): string {
  const tokens = Lexer.lexInline(markdown.trim().replaceAll(/<!--.*?-->/g, ""));
  const parser = new Parser();
  return parser.parseInline(tokens, parser.textRenderer).replaceAll(/\s+/g, " ");
}

function renderer(inserts: Readonly<Record<string, string>>): RendererObject {
  return {
    heading({ text }) {
      throw new Error(`The heading "${text}" is inside a list or a quotation`);
    },
    link({ href, tokens }) {
      const text = raw(this.parser.parseInline(tokens));
      const address = siteAddress(href);
      if (address.at === "site") return String(html`<a href="${address.path}">${text}</a>`);
      if (tokens.every(({ type }) => type === "codespan")) return String(text);
      return String(html`${text} (<code>${address.path}</code>)`);
    },
    paragraph({ tokens }) {
      const content = this.parser.parseInline(tokens);
      // HTML does not allow a figure inside a paragraph.
      return tokens.every(({ type }) => type === "image") ? content : `<p>${content}</p>\n`;
    },
    image({ href }) {
      return diagram(href);
    },
    code({ text, lang }) {
      return String(html`<pre><code>${highlighted(text, lang)}</code></pre>`);
    },
    table(token) {
      const table = Renderer.prototype.table.call(this, token);
      return `<div class="table-scroll" role="group" aria-label="Table" tabindex="0">${table}</div>`;
    },
    html({ text }) {
      const name = /^<!--(.*)-->$/s.exec(text.trim())?.[1]?.trim();
      if (name === undefined) throw new Error(`HTML in a guide: ${text}`);
      return inserts[name] ?? "";
    },
  };
}

/** Colors code with classes: the pages' Content-Security-Policy forbids inline styles. Unknown languages stay plain. */
export function highlighted(code: string, language: string | undefined) {
  return language && hljs.getLanguage(language) ? raw(hljs.highlight(code, { language }).value) : html`${code}`;
}

/** An address on the site or the web, or a file of the repository that is not on the site. */
export type Address = { at: "site" | "repository"; path: string };

/**
 * @param href  as written in a guide
 * @throws Error if it names a file that does not exist
 */
export function siteAddress(href: string): Address {
  if (/^(https?:|mailto:|[#/])/.test(href)) return { at: "site", path: href };
  const [path = "", anchor] = href.split("#");
  const file = relative(ROOT, resolve(GUIDES_FOLDER, path));
  if (file.startsWith("..") || !existsSync(join(ROOT, file))) {
    throw new Error(`${href} leads to a file that does not exist`);
  }
  if (dirname(file) !== "src/docs" || !file.endsWith(".md")) return { at: "repository", path: file };
  return { at: "site", path: `/docs/${basename(file, ".md")}${anchor === undefined ? "" : `#${anchor}`}` };
}

const STYLE = /\s*<style>(.*?)<\/style>/s;

/**
 * GitHub shows diagrams as images. The site inlines them as elements, so that screen readers get their text and the
 * page's colors apply. Their style moves to the site's stylesheet: the Content-Security-Policy forbids inline styles.
 * @param href  of an image in a guide
 */
function diagram(href: string): string {
  if (!/^diagrams\/[\w-]+\.svg$/.test(href)) throw new Error(`${href} is not a diagram`);
  const svg = readFileSync(join(GUIDES_FOLDER, href), "utf8");
  const [, title] = /<title id="[\w-]+">(.*?)<\/title>/s.exec(svg) ?? [];
  return `<figure class="diagram" role="group" aria-label="Diagram: ${title}" tabindex="0">${svg.replace(STYLE, "")}</figure>`;
}

/** The style that all diagrams share, for the stylesheet. */
export function diagramStyle(): string {
  const [, style] = STYLE.exec(readFileSync(join(GUIDES_FOLDER, "diagrams/redirect.svg"), "utf8")) ?? [];
  return `.diagram {${style}}\n`;
}
