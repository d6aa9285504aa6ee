/** Renders JSON schemas as tables of fields with types, limits and descriptions. Named schemas become links. */
import { componentName, type JsonSchema } from "../../api/openapi/openapi-document.ts";
import { html, joined, type HtmlPart, prose } from "./html.ts";

interface Field {
  name: string;
  required: boolean;
  schema: JsonSchema;
  description?: string | undefined;
}

/** @param label  head of the column of names */
export function fieldTable(label: string, fields: readonly Field[]): HtmlPart {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${label}</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${fields.map(fieldRow)}
    </tbody>
  </table>`;
}

function fieldRow({ name, required, schema, description = schema.description }: Field): HtmlPart {
  const constraints = constraintsOf(schema);
  return html`<tr>
    <th scope="row"><code>${name}</code> ${required && html`<span class="required">required</span>`}</th>
    <td>
      <p class="type">${typeOf(schema)}</p>
      ${description !== undefined && html`<p>${prose(description)}</p>`}
      ${constraints.length > 0 && html`<p class="facts">${joined(constraints, ". ")}.</p>`}
    </td>
  </tr>`;
}

/** The fields of an object, those of unnamed objects inside it included, with dotted names. */
export function fieldsOf({ properties = {}, required = [] }: JsonSchema, prefix = ""): Field[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = prefix + key;
    const inner = schema.type === "array" ? schema.items : schema;
    const below = inner ? innerFields(inner, schema.type === "array" ? `${name}[].` : `${name}.`) : [];
    return [{ name, required: required.includes(key), schema }, ...below];
  });
}

/** The fields of an object, or of each alternative of a union. */
function innerFields(schema: JsonSchema, prefix: string): Field[] {
  return [schema, ...(schema.anyOf ?? [])].flatMap((branch) => fieldsOf(branch, prefix));
}

function typeOf(schema: JsonSchema): HtmlPart {
  if (schema.$ref !== undefined) {
    const name = componentName({ $ref: schema.$ref });
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.anyOf) return alternatives(schema.anyOf);
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return joined(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      " ",
    );
  if (schema.type === "array") return ["list of ", itemType(schema.items ?? {})];
  if (schema.format === "date-time") return "time";
  return [schema.type ?? "anything"].flat().join(" or ");
}

/** The common union of a value and a list of such values is rendered in words, with the value's schema once. */
function alternatives(branches: readonly JsonSchema[]): HtmlPart {
  const [one, many] = branches;
  const same = many?.type === "array" && JSON.stringify(many.items) === JSON.stringify(one);
  if (one && same && branches.length === 2) return ["one or a list of: ", typeOf(one)];
  return joined(branches.map(typeOf), " or ");
}

function itemType(items: JsonSchema): HtmlPart {
  return items.anyOf ? ["(", typeOf(items), ")"] : typeOf(items);
}

function constraintsOf(schema: JsonSchema): HtmlPart[] {
  const inner = schema.anyOf?.[0] ?? schema;
  const longest = schema.maxItems ?? schema.anyOf?.find(({ type }) => type === "array")?.maxItems;
  return [
    range(inner.minLength, inner.maxLength, "characters"),
    range(inner.minimum, inner.maximum, ""),
    longest !== undefined && `At most ${longest} items`,
    inner.pattern !== undefined && html`Pattern <code>${inner.pattern}</code>`,
    schema.default !== undefined && html`Default <code>${String(schema.default)}</code>`,
  ].filter((fact) => fact !== false && fact !== null);
}

function range(least: number | undefined, most: number | undefined, unit: string): HtmlPart {
  if (least === undefined && most === undefined) return null;
  if (least === undefined) return `At most ${most} ${unit}`.trim();
  return (most === undefined ? `At least ${least} ${unit}` : `${least} to ${most} ${unit}`).trim();
}
