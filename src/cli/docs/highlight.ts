/**
 * Colours code while the pages are built, so that browsers load no highlighter. The output has classes and no styles,
 * which the pages' Content-Security-Policy forbids.
 */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import ini from "highlight.js/lib/languages/ini";
import json from "highlight.js/lib/languages/json";
import nginx from "highlight.js/lib/languages/nginx";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";

import { html, type HtmlPart, rawHtml } from "./html.ts";

/** Grammars by the names that guides write behind their fences. */
const GRAMMARS = {
  bash,
  sh: bash,
  toml: ini,
  ini,
  json,
  nginx,
  python,
  sql,
  ts: typescript,
  typescript,
  js: typescript,
  html: xml,
};

for (const [name, grammar] of Object.entries(GRAMMARS)) hljs.registerLanguage(name, grammar);

/** @param language  plain text when it is not known */
export function highlighted(code: string, language: string | undefined): HtmlPart {
  if (language === undefined || !hljs.getLanguage(language)) return html`${code}`;
  return rawHtml(hljs.highlight(code, { language }).value);
}
