/** The OpenAPI document is complete, and its examples fit the schemas. */
import { describe, expect, test } from "vitest";
import type { z } from "zod";

import { routeDocOf, type RouteDoc } from "../../../src/api/openapi/route-doc.ts";
import { openApiDocument } from "../../../src/api/openapi/openapi.ts";
import { componentName, type Operation } from "../../../src/api/openapi/openapi-document.ts";
import { v1Routes } from "../../../src/api/urls.ts";
import { ErrorBody } from "../../../src/core/contract/errors.ts";
import { ERRORS } from "../../../src/core/errors.ts";

const JSON_TYPE = "application/json";

const document = openApiDocument(v1Routes);
const text = JSON.stringify(document);

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

/** Route names as in the document. */
const routeNames = v1Routes.routes.map(({ method, path }) => `${method} /v1${path.replace(/:(\w+)/g, "{$1}")}`);

/** The documentation of each middleware of one operation. */
function docsOf(name: string): RouteDoc[] {
  return v1Routes.routes.flatMap(({ handler }, index) =>
    routeNames[index] === name ? [routeDocOf(handler) ?? {}] : [],
  );
}

test("every route is an operation, and every operation a route", () => {
  expect(operations.map(({ name }) => name).sort()).toEqual([...new Set(routeNames)].sort());
});

test("every operation has a unique id", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(ids).toEqual([...new Set(ids)]);
});

test("every reference resolves", () => {
  const known = Object.entries(document.components).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );
  const used = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((to) => !known.includes(String(to)))).toEqual([]);
});

test("every error code belongs to an operation or is explained in the introduction", () => {
  const explained = (code: string) => document.info.description.includes(`\`${code}\``);
  const answered = new Set(operations.flatMap(({ operation }) => codesOf(operation)));
  expect(Object.keys(ERRORS).filter((code) => !answered.has(code) && !explained(code))).toEqual([]);
});

test.each(Object.entries(document.components.examples))("the example of %s is an Error", (code, { value }) => {
  expect(ErrorBody.parse(value).error).toMatchObject({ code, message: expect.stringMatching(/./) });
});

test("parameters with defaults can be left out", () => {
  const parameters = document.paths["/v1/links"]?.get?.parameters ?? [];
  expect(parameters).toContainEqual(
    expect.objectContaining({ name: "limit", required: false, schema: expect.objectContaining({ default: 20 }) }),
  );
});

test("a server can be set", () => {
  expect(openApiDocument(v1Routes, "https://hop.example").servers).toEqual([{ url: "https://hop.example" }]);
});

describe.each(operations)("$name", ({ name, operation }) => {
  test("has a summary and a tag", () => {
    expect(operation).toMatchObject({ operationId: expect.any(String), summary: expect.stringMatching(/./) });
    expect(document.tags.map((tag) => tag.name)).toContain(operation.tags[0]);
  });

  test("names its required scope", () => {
    const scope = docsOf(name).find((doc) => doc.scope)?.scope;
    expect(operation["x-required-scope"]).toBe(scope);
    expect(operation.description).toContain(scope ? `Scope: \`${scope}\`` : "Works with any key.");
  });

  test("has a success whose example fits its schema", () => {
    const success = docsOf(name).find((doc) => doc.ok)?.ok;
    const answer = operation.responses[String(success?.status)];
    expect(answer).toBeDefined();
    const type = success?.contentType ?? JSON_TYPE;
    if (success?.schema) expectToFit(success.schema, answer?.content?.[type]?.example);
  });

  test("has a body whose example fits its schema", () => {
    const body = docsOf(name).find((doc) => doc.body)?.body;
    const file = docsOf(name).find((doc) => doc.file)?.file;
    expect(operation.requestBody !== undefined).toBe(body !== undefined || file !== undefined);
    if (body) expectToFit(body, operation.requestBody?.content[JSON_TYPE]?.example);
  });

  test("has query parameters whose examples fit", () => {
    const shape = docsOf(name).find((doc) => doc.query)?.query?.shape ?? {};
    const parameters = (operation.parameters ?? []).filter((parameter) => "in" in parameter);
    const asked = parameters.filter((parameter) => parameter.in === "query");
    expect(asked.map((parameter) => parameter.name)).toEqual(Object.keys(shape));
    for (const { name: key, example } of asked) {
      if (example !== undefined) expect(shape[key]?.safeParse(String(example)).error).toBeUndefined();
    }
  });

  test("lists every error of its middleware, by status", () => {
    const known = docsOf(name).flatMap((doc) => doc.errors ?? []);
    const expected = new Set([...known, "https_required", "internal_error", "unavailable"]);
    expect(new Set(codesOf(operation))).toEqual(expected);
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const examples = Object.keys(content?.[JSON_TYPE]?.examples ?? {});
      for (const code of examples)
        expect(ERRORS).toHaveProperty(code, expect.objectContaining({ status: Number(status) }));
    }
  });

  test("has the headers of each status", () => {
    for (const [status, { headers }] of Object.entries(operation.responses)) {
      expect(headers).toHaveProperty("X-Request-Id");
      expect("WWW-Authenticate" in headers).toBe(status === "401");
      if (status === "429" || status === "503") expect(headers).toHaveProperty("Retry-After");
    }
  });
});

function codesOf({ responses }: Operation): string[] {
  return Object.values(responses).flatMap(({ content }) =>
    Object.entries(content?.[JSON_TYPE]?.examples ?? {}).map(([code, reference]) => {
      expect(componentName(reference)).toBe(code);
      return code;
    }),
  );
}

function expectToFit(schema: z.ZodType, example: unknown): void {
  expect(example).toBeDefined();
  expect(schema.safeParse(example).error).toBeUndefined();
}
