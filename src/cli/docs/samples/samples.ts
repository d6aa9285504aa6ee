/** The samples of an operation, one for each language that has one. The pages' script shows one at a time. */
import type { Parameter } from "../../../api/openapi/openapi-document.ts";
import { highlighted } from "../highlight.ts";
import { html, type HtmlPart } from "../html.ts";
import { commandLineSample, curlSample } from "./shell.ts";
import { pythonSample } from "./python.ts";
import { type PathOperation, type SampleRequest, sampleRequest } from "./sample-request.ts";
import { typescriptSample } from "./typescript.ts";

/** In the order in which they are offered. @internal */
export const LANGUAGES: readonly { name: string; label: string; sample: (request: SampleRequest) => string | null }[] =
  [
    { name: "bash", label: "curl", sample: curlSample },
    { name: "typescript", label: "TypeScript", sample: typescriptSample },
    { name: "bash", label: "CLI", sample: commandLineSample },
    { name: "python", label: "Python", sample: pythonSample },
  ];

export function samples(operation: PathOperation, parameters: readonly Parameter[]): HtmlPart {
  const request = sampleRequest(operation, parameters);
  return html`<div class="samples">
    ${LANGUAGES.map(({ name, label, sample }) => samplePart(name, label, sample(request)))}
  </div>`;
}

function samplePart(name: string, label: string, code: string | null): HtmlPart {
  return code !== null && html`<pre data-language="${label}"><code>${highlighted(code, name)}</code></pre>`;
}
