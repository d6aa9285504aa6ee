/** What `admin doctor` says of the development database and its server. Pure: facts in, checks out. */
import type { LackingDatabase } from "../../core/deployment/deployment-problems.ts";
import {
  accountsCheck,
  type Check,
  type Fact,
  failure,
  healthChecks,
  ifRead,
  type Part,
  pendingCheck,
  warning,
} from "./check.ts";

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
    ifRead("migrations", pending, (lacking) => pendingCheck(lacking, "npm run dev")),
    ifRead("accounts", hasAccounts, (has) => accountsCheck(has, "npm run admin -- account create --email E")),
    ...(health === null
      ? [warning("server", `No development server answers at ${url}`, "npm run dev")]
      : healthChecks(health, "npm run dev")),
  ];
}
