/** Values that fit a JSON Schema. A member named after a resource, such as `link_id`, gets an existing one. */
import type { JsonSchema } from "../../../src/api/openapi/openapi-document.ts";
import { resolved } from "../schema-places.ts";
import { randomElement, randomInteger } from "../seeded-random.ts";

export interface Source {
  chance: () => number;
  /** Existing values by the names of members and parameters. */
  known: ReadonlyMap<string, string>;
  /** Texts of any kind, of which some fit each pattern. */
  texts: readonly string[];
}

type Schema = JsonSchema & { propertyNames?: JsonSchema; minItems?: number };

const PAST = ["2026-01-01T00:00:00Z", "2026-03-29T02:30:00+02:00", "1970-01-01T00:00:00.000Z"];
const FUTURE = ["2099-12-31T23:59:59Z", "2100-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999-12:00"];
const PAST_NAMES: ReadonlySet<string> = new Set(["from", "created_after", "starts_at", "after"]);

const KNOWN_SHARE = 0.8;
const OPTIONAL_SHARE = 0.25;
const OPTIONAL_MEMBERS = 3;

/** @param name  of the member or parameter @param root  the document to which `$ref` points */
export function fittingValue(described: JsonSchema, name: string, source: Source, root: object): unknown {
  const { chance } = source;
  const schema = resolved<Schema>(described, root);
  const known = source.known.get(name);
  const isKnown = known !== undefined && schema.type === "string" && fits(known, schema);
  if (isKnown && chance() < KNOWN_SHARE) return known;
  if (schema.const !== undefined) return schema.const;
  const values = schema.enum ?? schema["x-extensible-enum"];
  if (values) return randomElement(chance, values);
  if (schema.anyOf) return fittingValue(randomElement(chance, schema.anyOf), name, source, root);
  switch (schema.type) {
    case "object":
      return fittingObject(schema, source, root);
    case "array": {
      const items = Math.max(schema.minItems ?? 0, 1 + randomInteger(chance, 2));
      return Array.from({ length: items }, () => fittingValue(schema.items ?? {}, name, source, root));
    }
    case "boolean":
      return chance() < 0.5;
    case "null":
      return null;
    case "integer":
    case "number":
      return fittingNumber(schema, chance);
    default:
      return fittingText(schema, name, source);
  }
}

function fittingObject(schema: Schema, source: Source, root: object): Record<string, unknown> {
  const { properties = {}, required = [], minProperties = 0, additionalProperties, propertyNames } = schema;
  const { chance } = source;
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const names = [...required, ...someOf(optional, chance)];
  if (names.length < minProperties && optional.length > 0) names.push(randomElement(chance, optional));
  const members = names.map((name) => [name, fittingValue(properties[name] ?? {}, name, source, root)]);
  if (typeof additionalProperties === "object" && propertyNames) {
    const name = String(fittingValue(propertyNames, "", source, root));
    members.push([name, fittingValue(additionalProperties, name, source, root)]);
  }
  return Object.fromEntries(members) as Record<string, unknown>;
}

/** Only a few, since most of many optional ones exclude another. */
export function someOf<T>(optional: readonly T[], chance: () => number): T[] {
  const share = Math.min(OPTIONAL_SHARE, OPTIONAL_MEMBERS / optional.length);
  return optional.filter(() => chance() < share);
}

function fittingNumber({ minimum = 0, maximum = minimum + 3, examples = [] }: Schema, chance: () => number): unknown {
  const middle = Math.floor(minimum + (maximum - minimum) / 8);
  return randomElement(chance, [minimum, minimum, middle, middle, Math.min(minimum + 1, maximum), ...examples]);
}

function fittingText(schema: Schema, name: string, { chance, texts }: Source): string {
  const times = PAST_NAMES.has(name) ? PAST : FUTURE;
  const examples = (schema.examples ?? []).filter((example) => typeof example === "string");
  const fitting = [...examples, ...(schema.format === "date-time" ? times : texts)].filter((text) =>
    fits(text, schema),
  );
  return fitting.length > 0 ? randomElement(chance, fitting) : "a";
}

function fits(text: string, { format, pattern, minLength = 0, maxLength = Infinity, enum: values }: Schema): boolean {
  if (text.length < minLength || text.length > maxLength) return false;
  if (format === "date-time" && Number.isNaN(Date.parse(text))) return false;
  return values ? values.includes(text) : pattern === undefined || new RegExp(pattern).test(text);
}
