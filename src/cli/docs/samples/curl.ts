/** Renders a request as a curl command for a POSIX shell, with the key in `$KEY`. */
import type { SampleRequest } from "./sample-request.ts";

export function curlSample({ method, url, body, answer }: SampleRequest): string {
  const options = [answer === "stream" ? "-N" : "-s", ...(method === "GET" ? [] : [`-X ${method}`])];
  return [
    `curl ${options.join(" ")} "${url}"`,
    '-H "Authorization: Bearer $KEY"',
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${shellQuoted(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}

export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
