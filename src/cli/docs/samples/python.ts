/** Renders a request as a Python 3 program that needs no package, with the key in the environment's `KEY`. */
import type { SampleRequest } from "./sample-request.ts";

export function pythonSample(request: SampleRequest): string {
  const { method, url, body, answer } = request;
  const contentType = body === undefined ? [] : ['        "Content-Type": "application/json",'];
  return [
    ...(answer === "json" || body !== undefined ? ["import json"] : []),
    "import os",
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    ...(method === "GET" ? [] : [`    method="${method}",`]),
    "    headers={",
    '        "Authorization": f"Bearer {os.environ[\'KEY\']}",',
    ...contentType,
    "    },",
    ...(body === undefined ? [] : [`    data=json.dumps(${pythonLiteral(body, "    ")}).encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as response:",
    ...reading(answer),
  ].join("\n");
}

function reading(answer: SampleRequest["answer"]): string[] {
  if (answer === "none") return ["    print(response.status)"];
  if (answer === "json") return ["    print(json.load(response))"];
  return ["    for line in response:", '        print(line.decode(), end="")'];
}

function pythonLiteral(value: unknown, indent: string): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}    `;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => pythonLiteral(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item, inner)}`);
  const [open, close] = isList ? "[]" : "{}";
  return items.length === 0
    ? `${open}${close}`
    : [open, ...items.map((item) => `${inner}${item},`), `${indent}${close}`].join("\n");
}
