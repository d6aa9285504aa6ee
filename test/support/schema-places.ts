/** Paths to all fields that a JSON Schema describes, and values with a given value at one of them. */

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
}

/** Names of members; `0` is the first item of a list. */
export type Place = readonly string[];

/** @param root  document in which references are resolved */
export function placesOf(schema: object, root: object, place: Place = []): Place[] {
  const { properties = {}, additionalProperties, items, anyOf = [] } = resolved<Schema>(schema, root);
  const inside: [string, Schema][] = Object.entries(properties);
  if (items) inside.push(["0", items]);
  if (typeof additionalProperties === "object") inside.push(["any", additionalProperties]);
  const places = [
    ...inside.flatMap(([name, member]) => [[...place, name], ...placesOf(member, root, [...place, name])]),
    ...anyOf.flatMap((branch) => placesOf(branch, root, place)),
  ];
  return [...new Map(places.map((each) => [each.join("."), each])).values()];
}

/** The target of a `$ref` of the root. */
export function resolved<S extends { $ref?: string }>(schema: S, root: object): S {
  if (schema.$ref === undefined) return schema;
  const path = schema.$ref.slice("#/".length).split("/");
  return path.reduce((at, name) => (at as Record<string, object>)[name] ?? {}, root) as S;
}

/** `base` with `value` at the place. Missing objects and lists on the path are created. */
export function withValueAt(base: unknown, [name, ...rest]: Place, value: unknown): unknown {
  if (name === undefined) return value;
  if (name === "0") return [withValueAt(Array.isArray(base) ? base[0] : undefined, rest, value)];
  const members = typeof base === "object" && base !== null && !Array.isArray(base) ? base : {};
  return { ...members, [name]: withValueAt((members as Record<string, unknown>)[name], rest, value) };
}
