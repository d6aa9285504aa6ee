/** Renders a request as a module in TypeScript that needs no library, with the key in the environment's `KEY`. */
import type { SampleRequest } from "./sample-request.ts";

export function typescriptSample(request: SampleRequest): string {
  return [...call(request), ...reading(request)].join("\n");
}

function call({ method, url, body }: SampleRequest): string[] {
  const contentType = body === undefined ? [] : ['    "Content-Type": "application/json",'];
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    "  headers: {",
    "    Authorization: `Bearer ${process.env.KEY}`,",
    ...contentType,
    "  },",
    ...(body === undefined ? [] : [`  body: JSON.stringify(${objectLiteral(body, "  ")}),`]),
    "});",
    "if (!response.ok) throw new Error(await response.text());",
  ];
}

function reading({ answer }: SampleRequest): string[] {
  if (answer === "none") return [];
  if (answer === "json") return ["console.log(await response.json());"];
  return [
    "const decoder = new TextDecoder();",
    "for await (const bytes of response.body ?? []) {",
    "  process.stdout.write(decoder.decode(bytes, { stream: true }));",
    "}",
  ];
}

/** JSON with names as TypeScript writes them. */
function objectLiteral(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_$][\w$]*)":/gm, "$1$2:")
    .replaceAll("\n", `\n${indent}`);
}
