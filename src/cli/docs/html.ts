/** HTML templates that escape every value, except what a template or `rawHtml` returned. */

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

/** Null, undefined and false render as nothing, a list as its concatenated items. */
export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[];

export function html(strings: TemplateStringsArray, ...values: HtmlPart[]): Html {
  return Html.template(strings, values);
}

/** Marks text as HTML. Only for output generated from files of the repository: rendered Markdown, a diagram. */
export function rawHtml(text: string): Html {
  return Html.raw(text);
}

/** The items with `between` between each two. */
export function joined(items: readonly HtmlPart[], between: HtmlPart): HtmlPart {
  return items.flatMap((item, index) => (index === 0 ? [item] : [between, item]));
}

/** Renders text between backticks as `code` elements. */
export function prose(text: string): HtmlPart {
  return text.split("`").map((piece, index) => (index % 2 === 0 ? piece : html`<code>${piece}</code>`));
}

/** Paragraphs of a text, which empty lines separate. */
export function paragraphs(text: string): HtmlPart {
  return text.split("\n\n").map((block) => html`<p>${prose(block)}</p>`);
}

function render(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Html) return part.toString();
  if (typeof part === "object") return part.map(render).join("");
  return String(part).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
