/**
 * HTML as values: whatever goes into a template is escaped, unless a template or `rawHtml` made it.
 */

export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static template(strings: TemplateStringsArray, values: HtmlPart[]): Html {
    return new Html(strings.map((text, index) => text + render(values[index])).join(""));
  }

  static raw(text: string): Html {
    return new Html(text);
  }

  toString(): string {
    return this.#text;
  }
}

/** Null and false are nothing, a list is its items one after the other. */
export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

export function html(strings: TemplateStringsArray, ...values: HtmlPart[]): Html {
  return Html.template(strings, values);
}

/** Text that is HTML already. Only for what is made of files of the repository: rendered Markdown, a diagram. */
export function rawHtml(text: string): Html {
  return Html.raw(text);
}

/** The items with something between each two. */
export function joined(items: readonly HtmlPart[], between: HtmlPart): HtmlPart {
  return items.flatMap((item, index) => (index === 0 ? [item] : [between, item]));
}

/** Text whose `code` marks become code elements. */
export function prose(text: string): HtmlPart {
  return text.split("`").map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`));
}

/** Blocks with empty lines between. */
export function paragraphs(text: string): HtmlPart {
  return text.split("\n\n").map((block) => html`<p>${prose(block)}</p>`);
}

function render(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Html) return part.toString();
  if (typeof part === "object") return part.map(render).join("");
  return String(part).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
