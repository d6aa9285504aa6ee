/** The GitHub Action's comment on a pull request, against a server that answers as GitHub does. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import { marked } from "marked";
import { afterEach, beforeEach, expect, test } from "vitest";

import { makePlan } from "../../../src/client/plan/plan.ts";
import { planMarkdown } from "../../../src/client/plan/plan-text.ts";
import { currentLink, parsed, situation } from "./sample-links.ts";

const ACTION = resolve(import.meta.dirname, "../../../.github/actions/plan");
const BOT = { type: "Bot" };

interface Comment {
  id: number;
  body: string;
  user: { type: string };
}

let folder: string;
let server: Server;
let comments: Comment[];
let requests: string[];

beforeEach(async () => {
  [comments, requests] = [[], []];
  folder = mkdtempSync(join(tmpdir(), "hoplink-comment-"));
  server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://github");
    requests.push(`${request.method} ${pathname}`);
    const ofPull = pathname === "/repos/ann/links/issues/7/comments";
    const isAllowed = request.headers.authorization === "Bearer token";
    const reply = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    if (!isAllowed) return reply(401, {});
    if (request.method === "GET" && ofPull) {
      const start = (Number(searchParams.get("page")) - 1) * 100;
      return reply(200, comments.slice(start, start + 100));
    }
    const { body } = (await json(request)) as { body: string };
    if (request.method === "POST" && ofPull) {
      comments.push({ id: comments.length + 1, body, user: BOT });
      return reply(201, {});
    }
    const changed = comments.find(({ id }) => pathname === `/repos/ann/links/issues/comments/${id}`);
    if (request.method !== "PATCH" || !changed) return reply(404, {});
    changed.body = body;
    return reply(200, {});
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});

afterEach(async () => {
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true, force: true });
});

async function comment(plan: string, { errors = "", file = "links.yaml", token = "token" } = {}): Promise<void> {
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const { port } = server.address() as AddressInfo;
  await promisify(execFile)(
    process.execPath,
    [join(ACTION, "comment.mjs"), file, write("plan.md", plan), write("errors.txt", errors)],
    {
      env: {
        GITHUB_API_URL: `http://127.0.0.1:${port}`,
        GITHUB_REPOSITORY: "ann/links",
        GITHUB_EVENT_PATH: write("event.json", JSON.stringify({ pull_request: { number: 7 } })),
        GITHUB_TOKEN: token,
      },
    },
  );
}

test("is created once for each file, and then kept up to date", async () => {
  await comment("first\n");
  await comment("second\n");
  await comment("other\n", { file: "other links.yaml" });
  expect(comments.map(({ body }) => body)).toEqual([
    "<!-- hoplink plan links.yaml -->\nsecond\n",
    "<!-- hoplink plan other%20links.yaml -->\nother\n",
  ]);
  expect(requests.filter((request) => !request.startsWith("GET"))).toEqual([
    "POST /repos/ann/links/issues/7/comments",
    "PATCH /repos/ann/links/issues/comments/1",
    "POST /repos/ann/links/issues/7/comments",
  ]);
});

test("is found after many others, and another author's comment with the same marker is not changed", async () => {
  const forged = { id: 1, body: "<!-- hoplink plan links.yaml -->\nmine", user: { type: "User" } };
  const talk = Array.from({ length: 150 }, (_, i) => ({ id: i + 2, body: "Nice", user: { type: "User" } }));
  comments = [forged, ...talk, { id: 500, body: "<!-- hoplink plan links.yaml -->\nold", user: BOT }];
  await comment("new\n");
  expect([comments.length, comments[0]?.body, comments.at(-1)?.body]).toEqual([
    152,
    forged.body,
    "<!-- hoplink plan links.yaml -->\nnew\n",
  ]);
});

test("gives the reason when a plan is missing", async () => {
  await comment("", { errors: "links.yaml:3:5 ``` @everyone\n" });
  expect(comments[0]?.body).toContain("````text\nlinks.yaml:3:5 ``` @everyone\n````\n");
});

test("fails when GitHub refuses it", async () => {
  await expect(comment("plan\n", { token: "wrong" })).rejects.toThrow("GitHub answered 401");
});

test.each([
  [{}, "package"],
  [{ HOPLINK_PACKAGE: "./hoplink.tgz" }, "url"],
  [{ HOPLINK_PACKAGE: "./hoplink.tgz", HOPLINK_URL: "https://hop.example" }, "api-key"],
])("nothing runs without a required input: %j lacks %s", async (env, input) => {
  const run = promisify(execFile)("bash", [join(ACTION, "plan.sh")], { env: { HOPLINK_API_KEY: "", ...env } });
  await expect(run).rejects.toThrow(`The input ${input} is `);
});

test("no text of a file is read as Markdown", () => {
  const hostile = "```\\n# @everyone ![x](https://evil.example/x.png) <img src=x> ~~~ \\u202e";
  const file = parsed(`managed_by: website
links:
  - { slug: a, url: "https://example.com/@ann/x", title: "${hostile.replaceAll("\\n", " ")}" }
  - { slug: b, url: https://example.com/, tags: ["</code>"] }`);
  const gone = currentLink("gone", { tags: ["website"] });
  const markdown = planMarkdown(makePlan(file, situation([gone]), false), "links.yaml");
  const html = marked.parse(markdown, { async: false }) as string;
  expect(
    html
      .replaceAll(/<pre><code[^>]*>[^<]*<\/code><\/pre>/g, "CODE")
      .trim()
      .split(/\n+/),
  ).toEqual(["<h3>Links: 2 to create, 0 unchanged.</h3>", "CODE", "CODE"]);
  expect(markdown).toContain("\\u{202e}");
});

test("a plan that is too long for a comment is cut", () => {
  const links = Array.from({ length: 2_000 }, (_, i) => `  - { slug: a${i}, url: https://example.com/${i} }`);
  const markdown = planMarkdown(makePlan(parsed(`links:\n${links.join("\n")}`), situation(), false), "links.yaml");
  expect(markdown.length).toBeLessThan(65_536);
  expect(markdown).toMatch(/… and [\d]+ more lines: to see all, run hoplink plan\n```\n$/);
});

test("backticks in a file do not push a comment over GitHub's limit", () => {
  const links = Array.from(
    { length: 40 },
    (_, i) => `  - { slug: a${i}, url: "https://example.com/${"`".repeat(2_700)}" }`,
  );
  const markdown = planMarkdown(makePlan(parsed(`links:\n${links.join("\n")}`), situation(), false), "links.yaml");
  expect(markdown.length).toBeLessThan(65_536);
});
