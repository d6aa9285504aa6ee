/** One line of `admin doctor`, and what it says of the development database and its server. Pure: facts in, checks out. */
import { type LackingDatabase, migrationsProblem } from "../../core/deployment/deployment-problems.ts";
import { MIGRATIONS } from "../../store/operators/migrations.ts";
import { escapeControls } from "../report.ts";

export const HEALTH = "health";
const MARKS: Record<Level, string> = { ok: "✓", warning: "!", failure: "✗" };

type Level = "ok" | "warning" | "failure";

export interface Check {
  name: string;
  level: Level;
  message: string;
  /** What to run; null where nothing is wrong, or no command helps. */
  command: string | null;
}

/** In the place of a fact that could not be read. */
export class Unreadable {
  readonly reason: string;
  /** Tokens differ in their permissions: what this one may not read may be right. */
  readonly isForbidden: boolean;

  constructor(reason: string, isForbidden: boolean) {
    this.reason = reason;
    this.isForbidden = isForbidden;
  }
}

export type Fact<T> = T | Unreadable;

export interface Part {
  name: string;
  ok: boolean;
  message: string;
}

export interface LocalFacts {
  hasDatabase: boolean;
  pending: Fact<LackingDatabase[]>;
  hasAccounts: Fact<boolean>;
  url: string;
  /** Null where no development server answers. */
  health: Fact<Part[]> | null;
}

export function localChecks({ hasDatabase, pending, hasAccounts, url, health }: LocalFacts): Check[] {
  if (!hasDatabase) return [failure("database", "There is no development database", "npm run dev")];
  return [
    pendingCheck(pending, "npm run dev"),
    accountsCheck(hasAccounts, "npm run admin -- account create --email E"),
    ...(health === null
      ? [warning("server", `No development server answers at ${url}`, "npm run dev")]
      : healthChecks(health, "npm run dev")),
  ];
}

/** @returns the level of the worst */
export function worstLevel(checks: readonly Check[]): Level {
  const levels = new Set(checks.map(({ level }) => level));
  return (["failure", "warning"] as const).find((level) => levels.has(level)) ?? "ok";
}

/** A line for each, and one below it for what to run. */
export function formatChecks(checks: readonly Check[]): string {
  const lines = checks.flatMap(({ name, level, message, command }) => [
    `${MARKS[level]} ${name}: ${escapeControls(message)}`,
    ...(command === null ? [] : [`    → ${command}`]),
  ]);
  return lines.join("\n");
}

export function pendingCheck(pending: Fact<LackingDatabase[]>, command: string): Check {
  if (pending instanceof Unreadable) return unreadable("migrations", pending);
  const problem = migrationsProblem(pending, MIGRATIONS.length);
  return problem ? failure("migrations", problem.message, command) : ok("migrations", "All are applied");
}

export function accountsCheck(has: Fact<boolean>, command: string): Check {
  if (has instanceof Unreadable) return unreadable("accounts", has);
  return has ? ok("accounts", "There is one") : warning("accounts", "There is no account yet", command);
}

/** @param command  where its message names none */
export function healthChecks(health: Fact<Part[]>, command: string): Check[] {
  if (health instanceof Unreadable) return [{ ...unreadable(HEALTH, health), command }];
  const failing = health.filter((part) => !part.ok);
  if (failing.length === 0) return [ok(HEALTH, `All ${health.length} parts work`)];
  return failing.map((part) => failure(`${HEALTH}: ${part.name}`, part.message, command));
}

export function unreadable(name: string, { reason, isForbidden }: Unreadable): Check {
  return { name, level: isForbidden ? "warning" : "failure", message: `Could not be read: ${reason}`, command: null };
}

export function ok(name: string, message: string): Check {
  return { name, level: "ok", message, command: null };
}

export function warning(name: string, message: string, command: string | null): Check {
  return { name, level: "warning", message, command };
}

export function failure(name: string, message: string, command: string | null): Check {
  return { name, level: "failure", message, command };
}
