/** The clients of the streaming guide, as its readers run them: in Node, in Chromium, in Python. */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import { join, resolve } from "node:path";

import type { Browser } from "playwright-core";
import { build } from "vite";

import { listenOnFreePort } from "./ports.ts";

const ROOT = resolve(import.meta.dirname, "../..");

export interface StreamClient {
  /** Its output so far. */
  shown: () => Promise<string>;
  stop: () => Promise<void>;
}

export type StartClient = (settings: { BASE: string; KEY: string }) => Promise<StreamClient>;

/** @param folder  where its packages are found */
export function nodeClient(code: string, folder = ROOT): StartClient {
  return async (settings) => processClient(process.execPath, ["--input-type=module", "-e", code], settings, folder);
}

export function pythonClient(code: string): StartClient {
  return async (settings) => processClient("python3", ["-u", "-c", code], settings, ROOT);
}

function processClient(command: string, args: string[], settings: Record<string, string>, cwd: string): StreamClient {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...settings } });
  let printed = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => (printed += String(chunk)));
  return { shown: async () => printed, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = new Promise((done) => child.once("exit", done));
  child.kill();
  await exit;
}

/** Bundled, and run by a page of a separate origin. @param folder  where its packages are found */
export function browserClient(browser: () => Browser, code: string, folder = ROOT): StartClient {
  return async (settings) => {
    const constants = Object.entries(settings).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
    const show = "const show = (click) => console.log(JSON.stringify(click));";
    const script = await bundled([...constants, show, code].join("\n"), folder);
    const site = createServer((request, response) => {
      const isScript = request.url === "/client.js";
      response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? script : `<!doctype html><script type="module" src="/client.js"></script>`);
    });
    const origin = `http://127.0.0.1:${await listenOnFreePort(site)}`;
    const page = await browser().newPage();
    let shown = "";
    page.on("console", (message) => (shown += `${message.text()}\n`));
    page.on("pageerror", (error) => (shown += `${String(error)}\n`));
    await page.goto(origin);
    const stop = async () => {
      await page.close();
      site.closeAllConnections();
      site.close();
    };
    return { shown: async () => shown, stop };
  };
}

const ENTRY = "virtual:stream-client";

async function bundled(code: string, root: string): Promise<string> {
  const file = join(root, "stream-client.js");
  const result = await build({
    root,
    configFile: false,
    logLevel: "error",
    build: { write: false, minify: false, target: "esnext", rolldownOptions: { input: ENTRY } },
    plugins: [
      {
        name: "stream-client",
        resolveId: (id) => (id === ENTRY ? file : undefined),
        load: (id) => (id === file ? code : undefined),
      },
    ],
  });
  const [chunk] = "output" in result ? result.output : [];
  if (!chunk) throw new Error("no bundle");
  return chunk.code;
}
