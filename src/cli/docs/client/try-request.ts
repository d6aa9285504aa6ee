/** The fields of an operation's form and the request that they make. Pure. */

interface Reference {
  $ref: string;
}

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  example?: unknown;
}

export interface Operation {
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

/** The part of the OpenAPI document that forms need. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
}

export interface Field {
  name: string;
  place: Parameter["in"] | "body" | "key";
  example: string;
  isRequired: boolean;
  isLong: boolean;
}

const BODY_FIELD = "Body";

/** In the order of the form. Optional fields begin empty, so that an untouched form sends the plainest request. */
export function fieldsOf(operation: Operation, all: OpenApi): Field[] {
  const parameters = parametersOf(operation, all).map(({ name, in: place, required, example }): Field => {
    const isId = place === "path";
    return { name, place, example: isId ? "" : required ? text(example) : "", isRequired: required, isLong: false };
  });
  const body = Object.values(operation.requestBody?.content ?? {})[0];
  if (!body) return parameters;
  const example = JSON.stringify(body.example ?? {}, null, 2);
  return [...parameters, { name: BODY_FIELD, place: "body", example, isRequired: true, isLong: true }];
}

/** @param form  the operation's method and path, and the value of each field, "" where it is left empty */
export function requestOf(
  operation: Operation,
  all: OpenApi,
  form: { method: string; path: string; valueOf: (field: string) => string },
): { url: string; init: { method: string; headers: Record<string, string>; body?: string } } {
  const { method, path, valueOf } = form;
  const parameters = parametersOf(operation, all);
  const filled = parameters.filter(({ name }) => valueOf(name) !== "");
  const query = new URLSearchParams(
    filled.filter(({ in: at }) => at === "query").map(({ name }) => [name, valueOf(name)]),
  );
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)));
  const headers: Record<string, string> = { Authorization: `Bearer ${valueOf("Key").trim()}` };
  for (const { name } of filled.filter(({ in: at }) => at === "header")) headers[name] = valueOf(name);
  const [contentType] = Object.keys(operation.requestBody?.content ?? {});
  const body = contentType === undefined ? {} : { body: valueOf(BODY_FIELD) };
  if (contentType !== undefined) headers["Content-Type"] = contentType;
  return {
    url: query.size > 0 ? `${target}?${query}` : target,
    init: { method: method.toUpperCase(), headers, ...body },
  };
}

function parametersOf({ parameters = [] }: Operation, { components }: OpenApi): Parameter[] {
  return parameters.flatMap((each) => {
    if (!("$ref" in each)) return [each];
    const found = components.parameters[each.$ref.slice(each.$ref.lastIndexOf("/") + 1)];
    return found ? [found] : [];
  });
}

function text(example: unknown): string {
  return example === undefined ? "" : String(example);
}
