/** `links.yaml` as text: its parsed contents, and the positions of its problems. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

import { linksFileJsonSchema } from "../../../src/client/plan/links-file.ts";
import { parseLinksFile } from "../../../src/client/plan/parse.ts";
import { examplesRunBy } from "../../support/examples.ts";
import { newAjv } from "../../support/json-schemas.ts";
import { parsed } from "./sample-links.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const GUIDE = readFileSync(join(ROOT, "src/docs/links-as-code.md"), "utf8");
const WORKFLOWS = examplesRunBy(import.meta.filename);
const GUIDE_FILE = /```yaml\n([^]+?)```/.exec(GUIDE)?.[1] ?? "";

/** Problems as `line:column message`. */
function problems(text: string): string[] {
  const read = parseLinksFile(text);
  if (!("problems" in read)) throw new Error("nothing is wrong");
  return read.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

test("reads every member, as the API would store it", () => {
  const { file, lines } = parsed(`
managed_by: website
domain: go.example.com
links:
  # Spring
  - slug: spring
    url: https://example.com/spring
    title: "Spring: sale"
    tags: [Spring, print]
    starts_at: 2026-03-01T00:00:00+01:00
    expires_at: 2026-12-31T23:59:59Z
    fallback_url: https://example.com/soon
    forward_query: true
    routing:
      - if: { country: [de, NO], not: { device: mobile } }
        to: https://example.com/de
  - { slug: "2026", domain: hop.example, url: https://example.com/ }
`);
  expect(lines).toEqual([6, 17]);
  expect(file).toEqual({
    managed_by: "website",
    domain: "go.example.com",
    links: [
      {
        slug: "spring",
        url: "https://example.com/spring",
        title: "Spring: sale",
        tags: ["Spring", "print"],
        starts_at: "2026-03-01T00:00:00+01:00",
        expires_at: "2026-12-31T23:59:59Z",
        fallback_url: "https://example.com/soon",
        forward_query: true,
        routing: [{ if: { country: ["DE", "NO"], not: { device: "mobile" } }, to: "https://example.com/de" }],
      },
      { slug: "2026", domain: "hop.example", url: "https://example.com/" },
    ],
  });
});

test("rules that are written once can be reused", () => {
  const rules = `[{ if: { country: DE }, to: https://example.com/de }]`;
  const link = (slug: number, routing: string) =>
    `- { slug: a${slug}, url: https://example.com/, routing: ${routing} }\n`;
  const many = Array.from({ length: 1_000 }, (_, i) => link(i, i === 0 ? `&rules ${rules}` : "*rules")).join("");
  const { file } = parsed(`links:\n${many}`);
  expect(file.links.at(-1)?.routing).toEqual([{ if: { country: "DE" }, to: "https://example.com/de" }]);
});

test.for([
  ["link: []", ["1:1 links is required", "1:1 link is not a member: did you mean links?"]],
  [
    "links:\n- url: https://example.com/\n  slug: a\n  titel: x",
    ["4:3 links.0.titel is not a member: did you mean title?"],
  ],
  [
    "links:\n- url: https://example.com/\n  slug: a\n  routing:\n  - if: { contry: DE }\n    to: https://example.com/de",
    ["5:11 links.0.routing.0.if.contry is not a member: did you mean country?"],
  ],
  [
    "links:\n- ulr: https://example.com/\n  slug: a\n  tags: print",
    [
      "2:3 links.0.url is required",
      "4:3 links.0.tags must be a list: [a, b], or one line that begins with - for each item",
      "2:3 links.0.ulr is not a member: did you mean url?",
    ],
  ],
  ["links:\n- slug: a", ["2:3 links.0.url is required"]],
  ["links:\n- slug: 2026\n  url: https://example.com/", ["2:3 links.0.slug must be a string: put it in quotes"]],
  ["links:\n- slug: a\n  url: ftp://example.com/", ["3:3 links.0.url must begin with http:// or https://"]],
  ["links:\n- slug: a\n  url: https://example.com/\n  zzzzzz: 1", ["4:3 links.0.zzzzzz is not a member"]],
  ["links: [", ["1:9 Flow sequence in block collection must be sufficiently indented and end with a ]"]],
  ["links: []\nlinks: []", ["2:1 links is a duplicate"]],
  ["links: !!evil []", ["1:8 Unresolved tag: tag:yaml.org,2002:evil"]],
  ["", ["1:1 The file must have a list called links"]],
  ["- slug: a", ["1:1 The file must have a list called links"]],
] as const)("%j: %j", ([text, expected]) => {
  expect(problems(text)).toEqual(expected);
});

test("problems that depend on rules and times are found as well", () => {
  const text = `links:
  - slug: a
    url: https://example.com/
    starts_at: 2026-03-01T00:00:00Z
    expires_at: 2026-02-01T00:00:00Z
    routing:
      - if: { country: DE }
        to: https://example.com/1
      - if: { country: de }
        to: https://example.com/2
`;
  expect(problems(text)).toEqual([
    "4:5 links.0.starts_at must be before expires_at, which is 2026-02-01T00:00:00.000Z",
    "9:9 links.0.routing.1 can never match: routing.0 has the same condition (country=DE) and comes first",
  ]);
  const tags = Array.from({ length: 20 }, (_, i) => `t${i}`).join(", ");
  const full = `managed_by: website\nlinks:\n  - { slug: a, url: https://example.com/, tags: [${tags}] }`;
  expect(problems(full)).toEqual(["3:43 links.0.tags must have at most 19 tags in addition to managed_by"]);
});

test("parsing hostile files ends quickly", () => {
  const laughs = Array.from({ length: 9 }, (_, i) => {
    const inner = i === 0 ? "x" : `*a${i - 1}`;
    return `a${i}: &a${i} [${Array.from({ length: 9 }, () => inner).join(", ")}]`;
  });
  expect(problems(laughs.join("\n"))[0]).toContain("can use aliases at most");
  const wide = `a: &a [${"1,".repeat(20_000)}]\nb: [${"*a,".repeat(200)}]\nlinks: []`;
  expect(problems(wide)[0]).toContain("too large with aliases expanded");
  expect(problems("[".repeat(5_000))[0]).toContain("nested too deeply");
  expect(problems(`# ${"x".repeat(8 * 1024 * 1024)}`)[0]).toContain("at most 8 MB");
  expect(problems("links: []\n__proto__: { x: 1 }")).toEqual(["2:1 __proto__ is not a member"]);
});

test("editors find the same problems with the schema", () => {
  const isValid = newAjv().compile(linksFileJsonSchema());
  const link = { slug: "a", url: "https://example.com/" };
  expect(isValid({ links: [link] })).toBe(true);
  expect(isValid(parsed(GUIDE_FILE).file)).toBe(true);
  expect(isValid({ links: [{ ...link, titel: "x" }] })).toBe(false);
  expect(isValid({ links: [{ ...link, routing: [{ if: { contry: "DE" }, to: link.url }] }] })).toBe(false);
  expect(isValid({ links: [{ url: link.url }] })).toBe(false);
});

test("the guide's file is read", () => {
  const { file, lines } = parsed(GUIDE_FILE);
  expect([file.links.map(({ slug }) => slug), lines, file.managed_by]).toEqual([
    ["spring", "jobs"],
    [5, 14],
    "website",
  ]);
});

test("the guide's workflow passes the action what it needs", () => {
  const [{ code } = { code: "" }, ...others] = WORKFLOWS;
  expect(others).toEqual([]);
  const { on, permissions, jobs } = parse(code);
  expect(permissions).toEqual({ contents: "read", "pull-requests": "write" });
  const { uses, with: given } = jobs.plan.steps.at(-1);
  const [, folder = ""] = /^OWNER\/hoplink\/(\S+)@v\d+$/.exec(uses) ?? [];
  const { inputs } = parse(readFileSync(join(ROOT, folder, "action.yml"), "utf8"));
  expect(on).toEqual({ pull_request: { paths: [inputs.file.default] } });
  const required = Object.keys(inputs).filter((name) => inputs[name].required);
  expect(Object.keys(given).sort()).toEqual(required.sort());
});

test("the action plans nothing for forks, and puts no input into a script", () => {
  const { inputs, runs } = parse(readFileSync(join(ROOT, ".github/actions/plan/action.yml"), "utf8"));
  const isOwn = "github.event.pull_request.head.repo.full_name == github.repository";
  const steps: { if?: string; run?: string; uses?: string }[] = runs.steps;
  expect(steps.filter((step) => step.if !== isOwn).map(({ run }) => run?.split(" ")[0])).toEqual(["echo"]);
  expect(steps.filter(({ run }) => run?.includes("${{"))).toEqual([]);
  // The package's name in the registry may belong to a stranger.
  expect(inputs.package).toEqual({ description: expect.any(String), required: true });
  const env = { RUNNER_TEMP: "/nonexistent", HOPLINK_PACKAGE: "" };
  const { status, stderr } = spawnSync("bash", [join(ROOT, ".github/actions/plan/plan.sh")], { env, encoding: "utf8" });
  expect([status === 0, stderr]).toEqual([false, expect.stringContaining("The input package is missing")]);
});
