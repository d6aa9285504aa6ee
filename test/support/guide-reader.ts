/** Follows a guide's instructions to its reader: types commands, writes files, sends bodies. Compares the output. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect } from "vitest";

import type { ApiClient } from "./api-client.ts";
import { eventually, pause } from "./eventually.ts";
import type { Example } from "./examples.ts";
import { program } from "./programs.ts";
import { IPHONE_SAFARI } from "./sample-user-agents.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

/** Statistics of an account are at most a minute old. */
const ANSWER_TIMEOUT_MS = 120_000;
const RETRY_MS = 200;
const DESTINATION = "https://example.com/";
const RECEIVER = "https://receiver.example/clicks";
/** A visit by a phone in Germany, from a website. */
const VISIT = {
  redirect: "manual",
  headers: { "User-Agent": IPHONE_SAFARI, "X-Visitor-Country": "DE", Referer: "https://news.example/" },
} as const;
/** Members that the guide leaves out. */
const ANY_REST = / … /g;
/** All guides show the same ids and the same hour. They match any values, as `…` does. */
const ANY_TEXT = /…|01kajm2t4g8q5v7w9x3y6z1a2b\w*|(?:2026-11-21T)?09:\d\d:\d\d(?:\\\.\d{3}Z)?/g;

export class GuideReader {
  readonly #api: ApiClient;
  readonly #folder: string;
  readonly #environment: Record<string, string>;
  /** Output of every command, the newest last. */
  readonly #printed: string[];

  /**
   * @param folder  where commands are typed
   * @param environment  of the shell
   * @param printed  what the reader has seen before
   */
  constructor(api: ApiClient, folder: string, environment: Record<string, string>, printed: string) {
    this.#api = api;
    this.#folder = folder;
    this.#environment = { ...environment };
    this.#printed = [printed];
  }

  async do(example: Example): Promise<void> {
    const { language, code } = example;
    if (language === "yaml" || language === "csv") this.#write(example);
    else if (language === "json") await this.#makeLink(JSON.parse(code));
    else if (code.startsWith("export ")) await this.#export(code);
    else if (/^curl -N |^hoplink tail/.test(code)) await this.#follow(example);
    // A shell with its own commands in a guide may be missing.
    else if (language === "sh" || program(language).isThere) await this.#type(example);
  }

  /** The paragraph above contains the file's name. */
  #write({ introduction, code }: Example): void {
    const [name] = /[\w-]+\.(?:csv|yaml)/.exec(introduction) ?? [];
    if (!name) throw new Error(`a file without a name: ${introduction}`);
    writeFileSync(join(this.#folder, name), `${code}\n`);
  }

  /** @param json  its rules, or the condition of its only rule */
  async #makeLink(json: object): Promise<void> {
    const body = { url: DESTINATION, routing: Array.isArray(json) ? json : [{ if: json, to: DESTINATION }] };
    expect(await this.#api.call("POST", "/v1/links", body)).toMatchObject(body);
  }

  /** `export NAME=lnk_...` stands for the newest such id. */
  async #export(code: string): Promise<void> {
    const [, name = "", prefix] = /^export (\w+)=(?:([a-z_]+)\.\.\.$)?/.exec(code) ?? [];
    const ids = this.#printed.flatMap((printed) => printed.match(new RegExp(`\\b${prefix}\\w+`, "g")) ?? []);
    const value = prefix ? ids.at(-1) : await text(this.#start("sh", `${code}; printf %s "$${name}"`).stdout);
    expect(value, code).toMatch(/./);
    this.#environment[name] = value ?? "";
  }

  async #type({ language, code, answer }: Example): Promise<void> {
    const pattern = answer === undefined ? /^(?!.*"error")/s : new RegExp(`^${patternOf(compact(answer))}$`);
    let ended = await this.#run(language, code);
    const isAnswered = () => ended.code === 0 && pattern.test(compact(ended.stdout));
    const retry = async () => {
      if (isAnswered()) return true;
      await pause(RETRY_MS);
      ended = await this.#run(language, code);
      return false;
    };
    // Clicks are stored a moment after their reply; a reader types slower than a test.
    if (isRepeatable(code)) await eventually(retry, code, ANSWER_TIMEOUT_MS).catch(() => {});
    expect(ended.code, `${code}\n${ended.stderr}`).toBe(0);
    expect(compact(ended.stdout), code).toMatch(pattern);
    this.#printed.push(ended.stdout);
  }

  /** Visits the link that was printed last, until the click appears as in the guide, or is posted. */
  async #follow({ language, code, answer }: Example): Promise<void> {
    const shortUrls = this.#printed.flatMap((printed) => printed.match(/(?<="short_url": ?")[^"]+/) ?? []);
    const url = shortUrls.at(-1) ?? (await this.#api.createLink()).short_url;
    const receiver = new WebhookReceiver(this.#environment.HOPLINK_WEBHOOK_SECRET ?? "none");
    await receiver.start();
    const child = this.#start(language, code.replace(RECEIVER, receiver.url));
    let printed = "";
    child.stdout.on("data", (chunk) => (printed += String(chunk)));
    const [slug = ""] = url.split("/").slice(-1);
    const parts = answer?.split("\n\n") ?? [slug];
    const shown = new RegExp(parts.map(patternOf).join("[^]*\n"));
    const isSeen = () => (code.includes(RECEIVER) ? receiver.taken.length > 0 : shown.test(printed));
    const visitUntilSeen = async () => {
      if (receiver.taken.length === 0 && !printed.includes(slug)) await fetch(url, VISIT);
      await pause(RETRY_MS);
      return isSeen();
    };
    try {
      await eventually(visitUntilSeen, `${code} shows\n${parts.join("\n\n")}`);
    } finally {
      child.kill();
      await receiver.stop();
    }
  }

  async #run(language: string, code: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const child = this.#start(language, code);
    const ended = once(child, "close");
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await ended;
    return { code: child.exitCode, stdout, stderr };
  }

  #start(language: string, code: string): ChildProcessByStdio<null, Readable, Readable> {
    const shell = language === "sh" ? "bash" : language;
    return spawn(shell, ["-c", code], {
      cwd: this.#folder,
      env: this.#environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }
}

/** Whether a command may be repeated: visits and requests with a body may not. */
function isRepeatable(code: string): boolean {
  return /\/v1\/|^hoplink (?:stats|plan|export)/.test(code) && !/ -d | -X /.test(code);
}

/** JSON on one line: the guides print it on several. */
function compact(printed: string): string {
  try {
    return JSON.stringify(JSON.parse(printed));
  } catch {
    return printed.trim();
  }
}

function patternOf(answer: string): string {
  const escaped = answer.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return escaped.replaceAll(ANY_REST, ".+").replaceAll(ANY_TEXT, '[^"\n]+');
}
