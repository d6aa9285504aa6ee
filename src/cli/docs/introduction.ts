/** The introduction to the reference: the description in the OpenAPI document, with an anchor for each heading. */
import { html, paragraphs, type HtmlPart } from "./html.ts";
import { type ContentsEntry, headingLink, type Section } from "./page.ts";

export interface Introduction {
  main: HtmlPart;
  contents: ContentsEntry[];
  sections: Section[];
}

/** @param description  paragraphs; headings begin with `## ` */
export function introduction(description: string): Introduction {
  const [opening = "", ...rest] = description.split("\n\n## ");
  const chapters = rest.map((chapter) => {
    const [title = "", ...blocks] = chapter.split("\n\n");
    return { id: anchorOf(title), title, text: blocks.join("\n\n") };
  });
  return {
    main: html`
      ${paragraphs(opening)}
      ${chapters.map(
        ({ id, title, text }) => html`
          <h2 id="${id}">${headingLink(id, title)}</h2>
          ${paragraphs(text)}
        `,
      )}
    `,
    contents: chapters.map(({ id, title }) => ({ id, text: title, below: [] })),
    sections: chapters.map(({ id, title, text }) => ({ anchor: id, heading: title, text })),
  };
}

export function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}
