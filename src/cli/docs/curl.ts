/** Renders an operation as a curl command for a POSIX shell, from the examples in the OpenAPI document. */
import type { Operation, Parameter } from "../../api/openapi/openapi-document.ts";

interface PathOperation extends Operation {
  method: string;
  path: string;
}

export function curlCommand({ method, path, requestBody }: PathOperation, parameters: readonly Parameter[]): string {
  const body = Object.entries(requestBody?.content ?? {})[0];
  return [
    `curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}"$BASE${requestTarget(path, parameters)}"`,
    '-H "Authorization: Bearer $KEY"',
    ...(body ? [`-H "Content-Type: ${body[0]}"`, `-d ${shellQuoted(JSON.stringify(body[1].example))}`] : []),
  ].join(" \\\n  ");
}

/** Path and query. Parameters without an example are left out of the query. */
function requestTarget(path: string, parameters: readonly Parameter[]): string {
  const valueOf = (name: string) => String(parameters.find((one) => one.in === "path" && one.name === name)?.example);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)));
  const queryParameters = parameters.filter((one) => one.in === "query" && one.example !== undefined);
  const search = new URLSearchParams(queryParameters.map(({ name, example }) => [name, String(example)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
