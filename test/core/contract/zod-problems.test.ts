import { describe, expect, test } from "vitest";
import * as z from "zod";

import { CreateLink } from "../../../src/core/contract/links.ts";
import { problemsOf } from "../../../src/core/contract/zod-problems.ts";

function problems(schema: z.ZodType, value: unknown, readOnly: string[] = []) {
  const result = schema.safeParse(value);
  return result.success ? [] : problemsOf(result.error, new Set(readOnly));
}

describe("problems of a schema, in the API's words", () => {
  test.each<[string, z.ZodType, unknown, [string, string, string]]>([
    ["missing", z.object({ url: z.string() }), {}, ["url", "required", "url is required"]],
    [
      "another type",
      z.object({ url: z.string() }),
      { url: 5 },
      ["url", "invalid_type", "url must be of type string, not number"],
    ],
    ["no whole number", z.object({ n: z.int() }), { n: 0.5 }, ["n", "invalid_type", "n must be a whole number"]],
    ["no body", z.object({}), null, ["", "invalid_type", "The body must be of type object, not null"]],
    ["too long", z.string().max(3), "four", ["", "too_big", "The body must have at most 3 characters"]],
    ["too large", z.object({ n: z.int().max(3) }), { n: 4 }, ["n", "too_big", "n must be at most 3"]],
    [
      "too small",
      z.object({ n: z.array(z.int()).min(1) }),
      { n: [] },
      ["n", "too_small", "n must have at least 1 item"],
    ],
    ["one of", z.object({ n: z.enum(["a", "b"]) }), { n: "c" }, ["n", "invalid_value", "n must be one of a, b"]],
    ["its own message", z.object({ n: z.enum(["a"], "must be a") }), { n: "c" }, ["n", "invalid_value", "n must be a"]],
    [
      "a custom rule",
      z.object({ n: z.string().refine(() => false, "must be odd") }),
      { n: "c" },
      ["n", "invalid_value", "n must be odd"],
    ],
    [
      "a format",
      z.object({ n: z.email("must be an address") }),
      { n: "c" },
      ["n", "invalid_value", "n must be an address"],
    ],
    [
      "a name that is not allowed",
      z.record(z.string().max(1), z.string()),
      { ab: "x" },
      ["ab", "invalid_key", "ab has a name that is not allowed"],
    ],
    [
      "no branch of a union",
      z.object({ n: z.union([z.string(), z.array(z.string())]) }),
      { n: 5 },
      ["n", "invalid_union", "n has an unsupported type"],
    ],
    [
      "the branch of a union whose type fits",
      z.object({ n: z.union([z.string(), z.array(z.string())]) }),
      { n: ["a", 5] },
      ["n.1", "invalid_type", "n.1 must be of type string, not number"],
    ],
    [
      "an enum, preferred to an equally bad list",
      z.object({ n: z.union([z.enum(["a", "b"]), z.array(z.string())]) }),
      { n: "c" },
      ["n", "invalid_value", "n must be one of a, b"],
    ],
    [
      "an enum after a list",
      z.object({ n: z.union([z.array(z.string()), z.enum(["a", "b"])]) }),
      { n: "c" },
      ["n", "invalid_value", "n must be one of a, b"],
    ],
    [
      "a list after a union of other types",
      z.object({ n: z.union([z.union([z.number(), z.boolean()]), z.array(z.string())]) }),
      { n: ["a", 5] },
      ["n.1", "invalid_type", "n.1 must be of type string, not number"],
    ],
    [
      "an enum after a union of other types",
      z.object({ n: z.union([z.union([z.number(), z.boolean()]), z.enum(["a", "b"])]) }),
      { n: "c" },
      ["n", "invalid_value", "n must be one of a, b"],
    ],
    [
      "an object with a length, whose size is not checked",
      z.object({ n: z.string().max(3) }),
      { n: { length: 4 } },
      ["n", "invalid_type", "n must be of type string, not object"],
    ],
    [
      "a custom message with zod's words",
      z.object({ n: z.string().refine(() => false, "is odd. Too big: expected a to be b; received undefined") }),
      { n: "c" },
      ["n", "invalid_value", "n is odd. Too big: expected a to be b; received undefined"],
    ],
    [
      "a custom message with other words of zod",
      z.object({ n: z.string().refine(() => false, "is odd. Invalid input: expected a, received b") }),
      { n: "c" },
      ["n", "invalid_value", "n is odd. Invalid input: expected a, received b"],
    ],
    [
      "a list instead of an enum",
      z.object({ n: z.union([z.enum(["a", "b"]), z.array(z.enum(["a"]))]) }),
      { n: ["c"] },
      ["n.0", "invalid_value", "n.0 must be one of a"],
    ],
  ])("%s", (_name, schema, value, [path, code, message]) => {
    expect(problems(schema, value)).toEqual([{ path, code, message }]);
  });

  test("read-only fields and unknown fields", () => {
    const schema = z.strictObject({ inner: z.strictObject({}) });
    expect(problems(schema, { id: 1, nonsense: 2, inner: { id: 3 } }, ["id"])).toEqual([
      { path: "inner.id", code: "unknown_field", message: "inner.id is unknown" },
      { path: "id", code: "immutable_field", message: "id is set by the service and cannot be changed" },
      { path: "nonsense", code: "unknown_field", message: "nonsense is unknown" },
    ]);
  });

  test.each([
    [200, "x".repeat(200)],
    [201, `${"x".repeat(200)}…`],
  ])("a name of %i characters is reported as %s", (chars, path) => {
    expect(problems(z.strictObject({}), { ["x".repeat(chars)]: 1 })).toEqual([
      { path, code: "unknown_field", message: `${path} is unknown` },
    ]);
  });

  test.each([
    ["contry", ". Did you mean country?"],
    ["Device", ". Did you mean device?"],
    ["languege", ". Did you mean language?"],
    ["utm_compaign", ". Did you mean utm_campaign?"],
    ["lang", ". Did you mean language?"],
    ["utm", ""],
    ["colour", ""],
    ["x".repeat(1_000_000), ""],
  ])("an unknown condition is reported with the nearest one: %.20s", (name, suggestion) => {
    const url = "https://example.com/";
    for (const condition of [{ [name]: "x" }, { country: "DE", not: { [name]: "x" } }]) {
      const { error } = CreateLink.safeParse({ url, routing: [{ if: condition, to: url }] });
      const [problem] = error ? problemsOf(error) : [];
      expect(problem?.message.slice(problem.path.length)).toBe(` is unknown${suggestion}`);
    }
  });

  test("suggestions are bounded: a body of nothing but unknown conditions has five", () => {
    const names = ["contry", "devise", "brwoser", "regoin", "citty", "souce"].concat(
      Array.from({ length: 30_000 }, (_, i) => `countr${i}`),
    );
    const condition = Object.fromEntries(names.map((name) => [name, 1]));
    const { error } = CreateLink.safeParse({
      url: "https://example.com/",
      routing: [{ if: condition, to: "https://example.com/" }],
    });
    const found = error ? problemsOf(error) : [];
    expect(found.filter(({ message }) => message.includes("Did you mean"))).toHaveLength(5);
  });

  test("a name is never cut within a character", () => {
    expect(problems(z.strictObject({}), { [`${"x".repeat(199)}\u{1F600}y`]: 1 })[0]?.path).toBe(
      `${"x".repeat(199)}\ufffd…`,
    );
  });
});
