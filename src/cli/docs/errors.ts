/** The table of error codes, generated from `core/errors.ts`. The `doc_url` of an error links to its row. */
import type { OpenApiDocument } from "../../api/openapi/openapi-document.ts";
import { html, joined, type HtmlPart, prose } from "./html.ts";
import type { Section } from "./page.ts";
import { examplesOf, operationsOf } from "./reference.ts";
import type { PathOperation } from "./samples/sample-request.ts";

export interface ErrorRow {
  code: string;
  status: number;
  when: string;
}

export function errorTable(document: OpenApiDocument, errors: readonly ErrorRow[]): HtmlPart {
  const operations = operationsOf(document);
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Code</th>
        <th scope="col">Status</th>
        <th scope="col">When</th>
      </tr>
    </thead>
    <tbody>
      ${errors.map((error) => errorRow(error, operations))}
    </tbody>
  </table>`;
}

export function errorSections(errors: readonly ErrorRow[]): Section[] {
  return errors.map(({ code, status, when }) => ({ anchor: code, heading: code, text: `${status} ${when}` }));
}

/** The same for programs, as a table in Markdown. */
export function errorMarkdown(errors: readonly ErrorRow[]): string {
  const rows = errors.map(({ code, status, when }) => `| \`${code}\` | ${status} | ${when.replaceAll("|", "\\|")} |`);
  return ["| code | status | when |", "|---|---|---|", ...rows].join("\n");
}

function errorRow({ code, status, when }: ErrorRow, operations: readonly PathOperation[]): HtmlPart {
  const able = operations.filter(({ responses }) => code in examplesOf(responses[status]));
  const everywhere = able.length === operations.length;
  return html`<tr id="${code}">
    <th scope="row">
      <a href="#${code}"><code>${code}</code></a>
    </th>
    <td>${status}</td>
    <td>
      <p>${prose(when)}</p>
      ${everywhere && html`<p class="facts">Any operation.</p>`}
      ${!everywhere &&
      able.length > 0 &&
      html`<p class="facts">
        ${joined(
          able.map(({ operationId, summary }) => html`<a href="/docs#${operationId}">${summary}</a>`),
          ", ",
        )}.
      </p>`}
    </td>
  </tr>`;
}
