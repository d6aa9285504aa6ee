/** A real nginx in front of a server: the machine's own, with its stock settings except for where it writes. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { eventually } from "./eventually.ts";
import { freePort } from "./ports.ts";

const FOLDERS = (process.env.PATH ?? "").split(delimiter).concat("/usr/sbin", "/usr/local/sbin");
/** Debian: apt-get install nginx-light. */
export const NGINX = FOLDERS.map((folder) => join(folder, "nginx")).find(existsSync);

export class Nginx {
  readonly origin: string;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(origin: string, nginx: ChildProcess, folder: string) {
    this.origin = origin;
    this.#process = nginx;
    this.#folder = folder;
  }

  /**
   * @param target  origin of the server
   * @param directives  in addition to `proxy_pass`
   */
  static async start(target: string, directives = ""): Promise<Nginx> {
    const folder = mkdtempSync(join(tmpdir(), "hoplink-nginx-"));
    const port = await freePort();
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`);
    const config = `
      daemon off;
      master_process off;
      pid nginx.pid;
      error_log stderr;
      events {}
      http {
        access_log off;
        ${temporary.join("\n")}
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass ${target};
            ${directives}
          }
        }
      }`;
    writeFileSync(join(folder, "nginx.conf"), config);
    const nginx = spawn(NGINX ?? "nginx", ["-p", folder, "-c", "nginx.conf", "-e", "stderr"], { stdio: "inherit" });
    const origin = `http://127.0.0.1:${port}`;
    const answers = () =>
      fetch(`${origin}/health`).then(
        ({ ok }) => ok,
        () => false,
      );
    await eventually(answers, "nginx answers");
    return new Nginx(origin, nginx, folder);
  }

  async stop(): Promise<void> {
    const exit = new Promise((done) => this.#process.once("exit", done));
    this.#process.kill("SIGTERM");
    await exit;
    rmSync(this.#folder, { recursive: true });
  }
}
