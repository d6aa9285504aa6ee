/** Schemas for generated clients and validating proxies: requests are closed, responses open. */
import { describe, expect, test } from "vitest";

import type { JsonSchema } from "../../../src/api/openapi/openapi-document.ts";
import { openApiDocument } from "../../../src/api/openapi/openapi.ts";
import { v1Routes } from "../../../src/api/urls.ts";
import { ERRORS } from "../../../src/core/errors.ts";

const document = openApiDocument(v1Routes);
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** All schemas reachable from these roots. */
function reachable(roots: readonly unknown[]): JsonSchema[] {
  const found = new Set<JsonSchema>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null || found.has(value)) return;
    if (!Array.isArray(value)) found.add(value as JsonSchema);
    const { $ref } = value as JsonSchema;
    if (typeof $ref === "string") visit(schemas[$ref.slice($ref.lastIndexOf("/") + 1)]);
    for (const part of Object.values(value)) visit(part);
  };
  roots.forEach(visit);
  return [...found];
}

const schemasOf = (content: Record<string, { schema: JsonSchema }> = {}) =>
  Object.values(content).map(({ schema }) => schema);
const requests = reachable(operations.flatMap(({ requestBody }) => schemasOf(requestBody?.content)));
const responses = reachable(
  operations.flatMap((operation) => Object.values(operation.responses).flatMap(({ content }) => schemasOf(content))),
);
const isObject = ({ properties }: JsonSchema) => properties !== undefined;

test("responses may gain members within v1; requests may not have unknown members", () => {
  expect(responses.filter(isObject).length).toBeGreaterThan(20);
  expect(responses.filter(({ additionalProperties }) => additionalProperties === false)).toEqual([]);
  expect(requests.filter(isObject).length).toBeGreaterThan(10);
  expect(requests.filter(isObject).filter(({ additionalProperties }) => additionalProperties !== false)).toEqual([]);
});

test("error codes are listed, and new ones may be added", () => {
  const codes = responses.flatMap(({ properties }) => (properties?.["code"] ? [properties["code"]] : []));
  const listed = codes.filter((code) => code["x-extensible-enum"] !== undefined);
  expect(listed.length).toBeGreaterThan(1);
  for (const code of codes) expect(code.enum).toBeUndefined();
  for (const code of listed) expect(code["x-extensible-enum"]).toEqual(Object.keys(ERRORS));
});

test("no member of a request has a default, since generated clients would require the member", () => {
  expect(requests.filter((schema) => "default" in schema)).toEqual([]);
  const format = schemas["CreateQrCode"]?.properties?.["format"];
  expect(format?.description).toBe("Image format. Defaults to `png`.");
  expect(schemas["CreateQrCode"]?.required).toEqual(["link_id"]);
});

describe("conditions", () => {
  test.each(["ConditionInput", "PlainConditionInput"])("%s must not be empty, and takes codes in any case", (name) => {
    const { minProperties, properties = {} } = schemas[name] ?? {};
    expect(minProperties).toBe(1);
    expect(properties["query"]).toMatchObject({ minProperties: 1, maxProperties: 20 });
    for (const [key, codes] of [
      ["region", ["us-tx", "US-TX", "de-be"]],
      ["country", ["de", "DE", "T1", "t1", "xx"]],
    ] as const) {
      const patterns = properties[key]?.anyOf?.map(({ pattern, items }) => pattern ?? items?.pattern);
      expect(patterns).toHaveLength(2);
      for (const pattern of patterns ?? []) for (const code of codes) expect(code).toMatch(new RegExp(pattern ?? "^$"));
    }
  });
});
