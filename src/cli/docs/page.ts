/**
 * The frame of every page: navigation, search and table of contents around the text. A page has no inline script or
 * style, so that the Content-Security-Policy (`src/api/public-pages.ts`) can forbid both.
 */
import { html, type HtmlPart } from "./html.ts";

export interface DocsPage {
  /** The path of its URL, such as `/docs/routing`. */
  path: string;
  title: string;
  /** One sentence for search engines and link previews. */
  description: string;
  contents: readonly ContentsEntry[];
  main: HtmlPart;
  /** Where the same is as Markdown. */
  markdownPath?: string;
  /** The text that the search indexes. */
  sections: readonly Section[];
}

/** One link of the table of contents. */
export interface ContentsEntry {
  id: string;
  text: string;
  below: readonly ContentsEntry[];
}

/** The part of a page under one heading. `anchor` is empty for the text before the first heading. */
export interface Section {
  anchor: string;
  heading: string;
  text: string;
}

/** Links under a title, such as all guides. */
export interface NavigationGroup {
  title: string;
  entries: readonly { path: string; title: string }[];
}

export function pageHtml(page: DocsPage, navigation: readonly NavigationGroup[]): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${page.description}" />
        <title>${page.title} · Hoplink</title>
        <link rel="icon" type="image/svg+xml" href="/docs/favicon.svg" />
        ${page.markdownPath !== undefined &&
        html`<link rel="alternate" type="text/markdown" href="${page.markdownPath}" />`}
        <link rel="stylesheet" href="/docs/docs.css" />
        <script type="module" src="/docs/docs.js"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${header(page)}
        <div class="columns">
          ${navigationPart(page, navigation)} ${page.contents.length > 0 && contentsPart(page.contents)}
          <main id="content" tabindex="-1">${page.main}</main>
        </div>
      </body>
    </html> `.toString();
}

/** Content of a heading that links to itself; its mark is shown on hover and focus. */
export function headingLink(id: string, content: HtmlPart): HtmlPart {
  return html`<a class="anchor" href="#${id}">${content}</a>`;
}

/** The buttons are shown on narrow screens only, the search only where the script runs. */
function header({ contents }: DocsPage): HtmlPart {
  return html`<header>
    <a class="home" href="/docs/quickstart"
      ><img src="/docs/favicon.svg" alt="" width="24" height="24" />Hoplink <span>docs</span></a
    >
    <button class="menu-button" type="button" popovertarget="navigation">Menu</button>
    ${contents.length > 0 && html`<button class="menu-button" type="button" popovertarget="contents">Contents</button>`}
    <search hidden>
      <label class="visually-hidden" for="query">Search the documentation</label>
      <input
        id="query"
        type="text"
        role="combobox"
        placeholder="Search ( / )"
        autocomplete="off"
        spellcheck="false"
        enterkeyhint="search"
        aria-autocomplete="list"
        aria-expanded="false"
        aria-controls="results"
      />
      <div class="results-panel" hidden>
        <div id="results" role="listbox" aria-label="Search results"></div>
        <p role="status"></p>
      </div>
    </search>
    <a class="dashboard" href="/dashboard">Dashboard</a>
  </header>`;
}

function navigationPart(page: DocsPage, groups: readonly NavigationGroup[]): HtmlPart {
  return html`<nav id="navigation" popover aria-label="Documentation">
    ${groups.map(
      ({ title, entries }) => html`
        <p>${title}</p>
        <ul>
          ${entries.map(
            (entry) =>
              html`<li>
                <a href="${entry.path}" ${entry.path === page.path && html`aria-current="page"`}>${entry.title}</a>
              </li>`,
          )}
        </ul>
      `,
    )}
  </nav>`;
}

function contentsPart(entries: readonly ContentsEntry[]): HtmlPart {
  return html`<nav id="contents" popover aria-label="On this page">
    <p>On this page</p>
    ${contentsList(entries)}
  </nav>`;
}

function contentsList(entries: readonly ContentsEntry[]): HtmlPart {
  return html`<ul>
    ${entries.map(
      ({ id, text, below }) => html`<li><a href="#${id}">${text}</a>${below.length > 0 && contentsList(below)}</li>`,
    )}
  </ul>`;
}
