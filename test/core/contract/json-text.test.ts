import { describe, expect, test } from "vitest";

import { canonicalJson, JSON_DEPTH_MAX, jsonTextProblems } from "../../../src/core/contract/primitives.ts";

function problems(text: string): string[] | undefined {
  JSON.parse(text);
  return jsonTextProblems(text)?.map(({ path, code, message }) => `${path} ${code}: ${message}`);
}

describe("names that objects would lose", () => {
  test.each([
    ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', []],
    ['{"a":"\\"a\\":","b":"{,[a","c":", \\"b\\": "}', []],
    ['"a"', []],
    [" [1 , 2.5e3,true,null , []] ", []],
    ['{"a":1,"a":1}', ["a repeated: a must be given once"]],
    ['{"a" : 1, "\\u0061"\n:2}', ["a repeated: a must be given once"]],
    ['{"x":[{},{"y":[[1,2],{"b":1,"b":[]}]}]}', ["x.1.y.1.b repeated: x.1.y.1.b must be given once"]],
    ['{"":1,"":2}', [" repeated: The body must be given once"]],
    ['{"__proto__":1}', ["__proto__ invalid_key: __proto__ has a name that is not allowed"]],
    [
      '{"q":{"a":true,"_\\u005fproto__":{"z":1}}}',
      ["q.__proto__ invalid_key: q.__proto__ has a name that is not allowed"],
    ],
    ['{"constructor":1,"prototype":2,"toString":3,"hasOwnProperty":4}', []],
  ])("%s", (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  test("depth is bounded, in objects and in arrays", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
      expect(jsonTextProblems(nested(JSON_DEPTH_MAX))).toEqual([]);
      expect(jsonTextProblems(nested(JSON_DEPTH_MAX + 1))).toBeNull();
    }
  });

  test("a name as long as a body, thousands of times: paths and their number are bounded", () => {
    const long = "n".repeat(100_000);
    const found = jsonTextProblems(`{"${long}":{${'"a":1,'.repeat(20_000)}"a":1}}`) ?? [];
    expect(found).toHaveLength(100);
    expect(Math.max(...found.map(({ path, message }) => path.length + message.length))).toBeLessThan(500);
  });
});

describe("canonical JSON", () => {
  test.each([
    ['{"b":1,"a":[true,null,{"d":"x","c":""}]}', ' { "a" : [ true, null, { "c":"", "d":"\\u0078" } ],\n"b":1.0e0}'],
    ["[0.1,100,-5,0]", "[1e-1,1E2,-5.0,-0]"],
    ["9007199254740992", "9007199254740992.0"],
    ['"é/"', '"\\u00e9\\/"'],
    ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}'],
  ])("%s is %s", (one, other) => {
    expect(canonicalJson(JSON.parse(other))).toBe(canonicalJson(JSON.parse(one)));
  });

  test.each([
    ["[1,2]", "[2,1]"],
    ["1", '"1"'],
    ["1e400", "null"],
    ["{}", "[]"],
    ['{"a":1}', '{"a":1,"__proto__":{}}'],
    ['"é"', '"e\\u0301"'],
    ['["a,b"]', '["a","b"]'],
    ['{"a":1}', '{"a":null}'],
  ])("%s is not %s", (one, other) => {
    expect(canonicalJson(JSON.parse(other))).not.toBe(canonicalJson(JSON.parse(one)));
  });

  test("denotes the same value", () => {
    const text = '{"z":[1,2.5,{"y":"\\ud800","x":null}],"a":false}';
    expect(JSON.parse(canonicalJson(JSON.parse(text)))).toEqual(JSON.parse(text));
  });
});
