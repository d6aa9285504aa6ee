import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";

import { isUtmValue, NO_UTM, utmFactsOf, utmValue } from "../../../src/core/visitors/utm.ts";
import { requestVisitor } from "../../support/request-visitor.ts";

const factsOf = utmFactsOf;

test("13 each parameter is a fact", () => {
  const search = "utm_source=a&utm_medium=b&utm_campaign=c&utm_term=d&utm_content=e&utm_id=f";
  const facts = { utm_source: "a", utm_medium: "b", utm_campaign: "c", utm_term: "d", utm_content: "e" };
  expect(factsOf(search)).toEqual(facts);
  expect(factsOf("x=1")).toEqual(NO_UTM);
});

describe("13 a value", () => {
  test.each<[string, string, string | null]>([
    ["in lower case", "Spring-SALE", "spring-sale"],
    ["beyond ASCII", "%C3%84PFEL", "äpfel"],
    ["a plus is a space", "spring+sale", "spring sale"],
    ["without spaces around it", "+%09spring%20", "spring"],
    ["empty", "", null],
    ["of spaces", "+++", null],
    ["of control characters", "%00%0A%1F", null],
    ["with control characters", "a%0D%0Ab%00c%C2%85d%E2%80%A8e", "a  b c d e"],
    ["64 characters", "x".repeat(64), "x".repeat(64)],
    ["65 characters", "x".repeat(65), "x".repeat(64)],
    ["characters, not code units", "%F0%9F%98%80".repeat(65), "😀".repeat(64)],
    ["cut after a space", `${"x".repeat(63)}+y`, "x".repeat(63)],
    ["that grows in lower case", "%C4%B0".repeat(40), "i̇".repeat(32)],
    ["with marks that change the direction of text", "a%E2%80%AEb%E2%81%A6c", "a b c"],
    ["invalid UTF-8", "%FF%C3", "\ufffd\ufffd"],
    ["like a key", "none", "none"],
  ])("%s", (_name, sent, kept) => {
    expect(factsOf(`utm_source=${sent}`).utm_source).toBe(kept);
  });

  test("of a repeated parameter: the first one", () => {
    expect(factsOf("utm_source=B&utm_source=a").utm_source).toBe("b");
    expect(factsOf("utm_source=&utm_source=a").utm_source).toBeNull();
  });

  test("of a parameter in another case is ignored", () => {
    expect(factsOf("UTM_SOURCE=a&utm-source=b&utm_source%20=c")).toEqual(NO_UTM);
  });

  test("property: one line of 1 to 64 characters, stable when repeated", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 150 }), (text) => {
        const value = utmValue(text);
        expect(Array.from(value).length).toBeLessThanOrEqual(64);
        // oxlint-disable-next-line no-control-regex -- none may be left
        expect(value).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]|^\s|\s$/);
        expect(utmValue(value)).toBe(value);
        expect(isUtmValue(value)).toBe(value !== "");
      }),
    );
  });

  test("is refused as a condition if no visit can have it", () => {
    expect(["x".repeat(64), " X ", "😀".repeat(64)].map(isUtmValue)).toEqual([true, true, true]);
    expect(["", "  ", "\n", "x".repeat(65), `${"x".repeat(64)} y`].map(isUtmValue)).toEqual(Array(5).fill(false));
  });
});

test.each([
  ["", false],
  ["ref=1", false],
  ["q=%41&menu=utm_source", false],
  ["utm_source=a", true],
  ["q=1&%75tm_source=a", true],
])("a query string is parsed only if it may contain one: %s", (search, isParsed) => {
  const read = vi.spyOn(URLSearchParams.prototype, "get");
  factsOf(search);
  expect(read.mock.calls.length > 0).toBe(isParsed);
  read.mockRestore();
});

test("a visit's facts are those of its query", () => {
  const search = "utm_content=E&utm_term=D&utm_campaign=C&utm_medium=B&%75tm_source=A";
  const { utm_source, utm_medium, utm_campaign, utm_term, utm_content } = requestVisitor({ search });
  expect([utm_source, utm_medium, utm_campaign, utm_term, utm_content]).toEqual(["a", "b", "c", "d", "e"]);
  expect(requestVisitor().utm_source).toBeNull();
  expect(requestVisitor({ search: "a=%41" }).utm_content).toBeNull();
});
