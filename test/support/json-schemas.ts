/** Validation by JSON Schema. */
import { Ajv } from "ajv";
import addFormats from "ajv-formats";

/** Published schemas and descriptions use keywords that ajv's strict mode does not know. */
export function newAjv(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv;
}
