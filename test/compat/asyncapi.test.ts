/** The AsyncAPI document against AsyncAPI's own schema. */
import specs from "@asyncapi/specs";
import { expect, test } from "vitest";

import { asyncApiDocument } from "../../src/api/asyncapi/asyncapi.ts";
import { openApiDocument } from "../../src/api/openapi/openapi.ts";
import { v1Routes } from "../../src/api/urls.ts";
import { newAjv } from "../support/json-schemas.ts";

const document = asyncApiDocument(openApiDocument(v1Routes));

test("is valid under AsyncAPI's own schema", () => {
  const ajv = newAjv();
  const validate = ajv.compile<unknown>(specs.schemasWithoutId["3.0.0"] as object);
  validate(document);
  expect(validate.errors).toBeNull();
  expect(validate({ ...document, channels: { events: { address: 1 } } })).toBe(false);
});
