/** The target of the operator's commands, the development database or a deployment, and how they print results. */
import { Console } from "node:console";

import type { OperatorTokenPurpose } from "../../core/identifiers.ts";
import { timestamp } from "../../core/time.ts";
import type { LinksEnv } from "../../store/directory/databases.ts";
import { issueOperatorToken } from "../../store/operators/operator-tokens.ts";
import type { DeploymentOptions } from "../backup/deployment.ts";
import { formatReport, type Output, type Report } from "../command.ts";

/** The accounts' database and those of links. */
export type Database = LinksEnv;

const DEVELOPMENT_URL = "http://localhost:8787";

export const URL_OPTION = ["--url <URL>", "URL of the deployment, if it is not found automatically"] as const;

export interface SharedOptions {
  remote?: true | undefined;
  persistTo?: string | undefined;
  json?: true | undefined;
}

/** Satisfied by `process`. With `--remote`, wrangler and questions use the environment and terminal of the process. */
export interface Io extends Output {
  env: Readonly<Record<string, string | undefined>>;
}

export class Target {
  readonly io: Io;
  /** Ignores a closed pipe. */
  readonly console: Console;
  /** Set before a command runs. */
  options: SharedOptions = {};
  exitCode = 0;

  constructor(io: Io) {
    this.io = io;
    this.console = new Console(io.stdout, io.stderr);
  }

  async withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const { remote, persistTo } = this.options;
    // They take seconds to load: invalid options are reported before that.
    if (remote) return work(await (await import("../deployment/connection.ts")).remoteRows());
    const { withLocalDatabase } = await import("../database.ts");
    return withLocalDatabase(persistTo, work);
  }

  /** Runs a command on the database and prints its report. */
  async report(work: (database: Database) => Promise<Report>): Promise<void> {
    this.print(await this.withDatabase(work));
  }

  print(report: Report): void {
    this.console.log(this.options.json ? JSON.stringify(report) : formatReport(report));
  }

  /** @returns an origin, by default the address of the development server */
  baseUrl(url: string | undefined): string {
    const text = url ?? (this.options.remote ? "" : DEVELOPMENT_URL);
    if (!/^https?:/i.test(text) || !URL.canParse(text))
      throw new Error("--url must be the URL of the deployment, such as https://hop.example.com");
    return new URL(text).origin;
  }

  /** Settings with which a command finds the deployment that it calls. */
  deployment(url: string | undefined): DeploymentOptions {
    const { remote, persistTo } = this.options;
    const { stderr, env } = this.io;
    const isRemote = remote === true;
    const found = isRemote && url === undefined ? null : this.baseUrl(url);
    return { isRemote, url: found, persistTo, token: env.OPERATOR_TOKEN, stderr, report: this.console.error };
  }
}

export async function issueToken(database: Database, purpose: OperatorTokenPurpose, ttlMs: number) {
  const now = Date.now();
  const token = await issueOperatorToken(database, purpose, ttlMs, now);
  return { token, expires_at: timestamp(now + ttlMs) };
}
