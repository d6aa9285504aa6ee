import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { locationOf, withVisitorPath, withVisitorQuery } from "../../../src/core/links/visit-decision.ts";
import { parseAddress } from "../../../src/edge/address.ts";

const PAGE = "https://example.com/page";

describe("12 a visitor's query is added to the destination", () => {
  test.each<[string, string, string]>([
    [PAGE, "", PAGE],
    [PAGE, "&&", PAGE],
    [PAGE, "a=1", `${PAGE}?a=1`],
    [`${PAGE}?`, "a=1", `${PAGE}?a=1`],
    [`${PAGE}?x=1`, "a=1", `${PAGE}?x=1&a=1`],
    [`${PAGE}?x=1&`, "a=1", `${PAGE}?x=1&a=1`],
    [`${PAGE}?x=1&`, "", `${PAGE}?x=1&`],
    [`${PAGE}#part`, "a=1", `${PAGE}?a=1#part`],
    [`${PAGE}?x=1#part?y=2`, "a=1", `${PAGE}?x=1&a=1#part?y=2`],
    [`${PAGE}#/route?x=1`, "x=2", `${PAGE}?x=2#/route?x=1`],
    ["https://example.com", "a=1", "https://example.com?a=1"],
    [PAGE, "a=1&&b=2&", `${PAGE}?a=1&b=2`],
    [PAGE, "a=1&a=2&b", `${PAGE}?a=1&a=2&b`],
    [PAGE, "utm_source=a%20b+c&utm_term=%C3%BC&x=a%26b%3Dc", `${PAGE}?utm_source=a%20b+c&utm_term=%C3%BC&x=a%26b%3Dc`],
  ])("%s and %s: %s", (destination, search, url) => {
    expect(withVisitorQuery(destination, search)).toBe(url);
  });

  test("nothing is added if the Location would be longer than 12 KiB", () => {
    const destination = `${PAGE}?own=${"ä".repeat(1_362)}`;
    const longest = 12 * 1024 - locationOf(destination).length - 1;
    const search = (length: number) => `a=${"b".repeat(length - 2)}`;
    expect(withVisitorQuery(destination, search(longest))).toBe(`${destination}&${search(longest)}`);
    expect(withVisitorQuery(destination, search(longest + 1))).toBe(destination);
  });

  test.each<[string, string, string]>([
    ["the same name", "x=2", ""],
    ["twice", "x=2&x=3", ""],
    ["without a value", "x", ""],
    ["encoded", "%78=2", ""],
    ["among others", "a=1&%78=2&b=3", "&a=1&b=3"],
    ["in the other case, which is a different name", "X=2", "&X=2"],
    ["with a space, encoded in another way", "y%20z=2&a=1", "&a=1"],
    ["with a space as plus", "y+z=2&a=1", "&a=1"],
    ["beyond ASCII", "%C3%BC=2&a=1", "&a=1"],
    ["after a question mark, which is part of the name", "?x=2", "&?x=2"],
  ])("an existing parameter is never replaced: %s", (_name, search, added) => {
    const destination = `${PAGE}?x=1&y+z=1&%c3%bc=1`;
    expect(withVisitorQuery(`${destination}#end`, search)).toBe(`${destination}${added}#end`);
  });

  test.each<[string, string]>([
    ["qr=anything", ""],
    ["%71r=1&q%72=2&a=1", "?a=1"],
    ["qr", ""],
    ["qrs=1", "?qrs=1"],
  ])("qr is stripped: %s", (search, added) => {
    expect(withVisitorQuery(PAGE, search)).toBe(PAGE + added);
  });

  test("the destination's own qr parameter is kept", () => {
    expect(withVisitorQuery(`${PAGE}?qr=own`, "qr=1&a=1")).toBe(`${PAGE}?qr=own&a=1`);
  });

  test.each<[string, string]>([
    ["a=1#frag", "a=1%23frag"],
    ["a=\r\nSet-Cookie: x=1", "a=%0D%0ASet-Cookie:%20x=1"],
    ["a=%0d%0aX:1", "a=%0d%0aX:1"],
    ["a=1;x=2", "a=1%3Bx=2"],
    ["a=<b>\"'`", "a=%3Cb%3E%22'%60"],
    ["a=%zz%", "a=%25zz%25"],
    ["a=ü\u0000", "a=%C3%BC%00"],
    ["a=\ud800", "a=%EF%BF%BD"],
    ["a=\\..\\", "a=%5C..%5C"],
    ["__proto__=1&constructor=2", "__proto__=1&constructor=2"],
  ])("no value escapes the query: %j", (search, added) => {
    expect(withVisitorQuery(`${PAGE}?x=1#end`, search)).toBe(`${PAGE}?x=1&${added}#end`);
  });

  test("all parameters are added, or none if that makes Location longer than 12 KiB", () => {
    const longest = `b=1&a=${"x".repeat(12 * 1_024 - `${PAGE}?b=1&a=`.length)}`;
    expect(withVisitorQuery(PAGE, longest)).toBe(`${PAGE}?${longest}`);
    expect(withVisitorQuery(PAGE, `${longest}x`)).toBe(PAGE);
    expect(withVisitorQuery(PAGE, `a=${"ü".repeat(2_100)}`)).toBe(PAGE);
  });

  test("any query: same page, same fragment, own parameters first and unchanged, a URI", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom(..."a=&?#%;+/\n4x") }));
    fc.assert(
      fc.property(
        text,
        fc.constantFrom("", "?", "?a=1", "?a=1&x%3d=2&"),
        fc.constantFrom("", "#f?a=2"),
        (sent, query, end) => {
          const own = new URL(PAGE + query + end);
          const result = withVisitorQuery(PAGE + query + end, sent);
          expect(locationOf(result)).toBe(result);
          const { origin, pathname, hash, searchParams } = new URL(result);
          expect([origin, pathname, hash]).toEqual([own.origin, own.pathname, own.hash]);
          const ownParameters = [...own.searchParams];
          expect([...searchParams].slice(0, ownParameters.length)).toEqual(ownParameters);
          const names = [...searchParams.keys()].slice(ownParameters.length);
          expect(names.filter((name) => name === "qr" || own.searchParams.has(name))).toEqual([]);
        },
      ),
    );
  });
});

describe("12 a visitor's path is appended to the destination's path", () => {
  /** What the link `docs` would forward; null if nothing. */
  function restBelow(path: string): string | null {
    const hosts = { BASE_URL: "https://api.example", SHORT_DOMAIN: "go.example", TEST_SHORT_DOMAIN: "t.example" };
    const address = parseAddress(`https://go.example/docs${path}`, hosts);
    if (address.kind !== "link") return null;
    return [address, ...address.shorter].find(({ slug }) => slug === "docs")?.rest ?? null;
  }

  test.each<[string, string, string]>([
    [PAGE, "/a/b", `${PAGE}/a/b`],
    [PAGE, "/a/", `${PAGE}/a/`],
    [`${PAGE}/`, "/a", `${PAGE}/a`],
    [`${PAGE}?x=1#end`, "/a", `${PAGE}/a?x=1#end`],
    [`${PAGE}#/x?y`, "/a", `${PAGE}/a#/x?y`],
    ["https://example.com", "/a", "https://example.com/a"],
    ["https://example.com?x", "/a", "https://example.com/a?x"],
    [PAGE, "/a%2Fb/%41+%C3%BC", `${PAGE}/a%2Fb/%41+%C3%BC`],
    [PAGE, "/a%zz/\u00fc[1]|\\#?\ud800", `${PAGE}/a%25zz/%C3%BC%5B1%5D%7C%5C%23%3F%EF%BF%BD`],
    [PAGE, `/${"x".repeat(13_000)}`, PAGE],
  ])("%s and %.40s: %.80s", (destination, rest, url) => {
    expect(withVisitorPath(destination, rest)).toBe(url);
  });

  test.each([
    "",
    "/",
    "//",
    "//a",
    "/a//b",
    "/a//",
    "/.",
    "/..",
    "/a/../b",
    "/%2e",
    "/%2E%2e/a",
    "/.%2e",
    "/%2e.",
    "/a/%2E/",
  ])("/docs%s forwards nothing", (path) => {
    expect(restBelow(path) ?? "").toBe("");
  });

  test.each(["/...", "/a..", "/%2e%2e%2f", "/..%2f..%2fa", "/%252e%252e", "/a%5C..", "/a%2F", "/;/..;a", "/ü", "/a%"])(
    "/docs%s forwards it",
    (path) => {
      expect(restBelow(path)).toBe(path);
    },
  );

  /**
   * Paths and what the URL Standard makes of them: web-platform-tests, url/resources/urltestdata.json (BSD-3-Clause),
   * those with dot segments, backslashes and percent signs.
   */
  const STANDARD_PATHS: readonly [path: string, parsed: string, forwarded?: string][] = [
    ["/././foo", "/foo", ""],
    ["/./.foo", "/.foo", ""],
    ["/foo/.", "/foo/", ""],
    ["/foo/./", "/foo/", ""],
    ["/foo/bar/..", "/foo/", ""],
    ["/foo/bar/../", "/foo/", ""],
    ["/foo/bar/../ton", "/foo/ton", ""],
    ["/foo/bar/../ton/../../a", "/a", ""],
    ["/foo/../../..", "/", ""],
    ["/foo/../../../ton", "/ton", ""],
    ["/foo/%2e", "/foo/", ""],
    ["/foo/%2e./%2e%2e/.%2e/%2e.bar", "/%2e.bar", ""],
    ["/foo/%2E/html", "/foo/html", ""],
    ["////../..", "//", ""],
    ["/foo/bar//../..", "/foo/", ""],
    ["/foo/bar//..", "/foo/bar/", ""],
    ["/foo/bar/..bar", "/foo/bar/..bar"],
    ["/foo%2Ehtml", "/foo%2Ehtml"],
    ["/foo/%2e%2", "/foo/%2e%2", "/foo/%2e%252"],
    ["/foo%", "/foo%", "/foo%25"],
    ["/foo%2", "/foo%2", "/foo%252"],
    ["/foo%2zbar", "/foo%2zbar", "/foo%252zbar"],
    ["/foo%41%7a", "/foo%41%7a"],
    ["/foo%00%51", "/foo%00%51"],
    ["/(%28:%3A%29)", "/(%28:%3A%29)"],
    ["/%3A%3a%3C%3c", "/%3A%3a%3C%3c"],
    ["/@asdf%40", "/@asdf%40"],
    ["/\u2025/foo", "/%E2%80%A5/foo"],
    ["/\ufeff/foo", "/%EF%BB%BF/foo"],
    // The standard reads a backslash as a slash and drops a tab. A server that reads the URL first does the same.
    ["\\\\foo\\\\bar", "//foo//bar", ""],
    ["/foo\tbar", "/foobar", "/foo%09bar"],
  ];

  test.each(STANDARD_PATHS)(
    "/docs%s, which is %s by the URL Standard, stays below the destination",
    (path, parsed, own) => {
      expect(new URL(`http://example.com${path}`).pathname).toBe(parsed);
      for (const sent of [path, new URL(`http://example.com${path}`).pathname]) {
        const rest = restBelow(sent) ?? "";
        const { origin, pathname } = new URL(withVisitorPath(PAGE, rest));
        expect(origin).toBe("https://example.com");
        expect(`${pathname}/`.startsWith("/page/")).toBe(true);
        if (sent === path) expect(pathname).toBe(`/page${own ?? parsed}`);
      }
    },
  );

  test("has at most 16 segments, with or without a slash at the end", () => {
    for (const end of ["", "/"]) {
      expect(restBelow(`${"/a".repeat(15)}${end}`)).toBe(`${"/a".repeat(15)}${end}`);
      expect(restBelow(`${"/é".repeat(16)}${end}`)).toBeNull();
    }
  });

  test("any path: same origin, query and fragment, below the destination's path, a URI", () => {
    // Whatever the URL parser of a client, such as this one, takes for a dot segment or a separator.
    const piece = fc.constantFrom(
      ..."./\\%2eE5cCfF?#;@:\t\nü a".split(""),
      "..",
      "%2e",
      "%2E",
      "%2f",
      "%5c",
      "%00",
      "//",
      "\ud800",
    );
    const destinations = [
      PAGE,
      `${PAGE}/`,
      "https://example.com",
      `${PAGE}/a%2Fb?x=/../y#/../z`,
      "https://example.com/?#",
    ];
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom(...destinations), (pieces, destination) => {
        const rest = restBelow(`/${pieces.join("")}`);
        if (!rest) return;
        const own = new URL(destination);
        const url = withVisitorPath(destination, rest);
        expect(locationOf(url)).toBe(url);
        const { origin, pathname, search, hash } = new URL(url);
        expect([origin, search, hash]).toEqual([own.origin, own.search, own.hash]);
        expect(pathname).toBe(new URL(url).pathname);
        const above = own.pathname.replace(/\/$/, "");
        expect(pathname.startsWith(`${above}/`)).toBe(true);
        expect(pathname.split("/").length).toBe(above.split("/").length + rest.split("/").length - 1);
      }),
    );
  });
});

describe("a destination as a Location", () => {
  test.each([
    ["https://bücher.example/straße?ä=ö#ü", "https://xn--bcher-kva.example/stra%C3%9Fe?%C3%A4=%C3%B6#%C3%BC"],
    ["http://BÜCHER.example:8080", "http://xn--bcher-kva.example:8080"],
    ["https://example.com/a[b]?c|d#e#f", "https://example.com/a%5Bb%5D?c%7Cd#e%23f"],
    ["https://example.com/100%?a=%4&b=%C3%A4", "https://example.com/100%25?a=%254&b=%C3%A4"],
    ["https://[2001:db8::1]:8443/ä", "https://[2001:db8::1]:8443/%C3%A4"],
    ["https://example.com?ä", "https://example.com?%C3%A4"],
    ["https://example.com#ä", "https://example.com#%C3%A4"],
    ["https://example.com/\ud800", "https://example.com/%EF%BF%BD"],
  ])("%s: %s", (destination, location) => {
    expect(locationOf(destination)).toBe(location);
  });
});
