/** What only the dashboard's pages are sent. */
import type { AccountInfo, CreatedKey, DashboardConfig, KeyInfo, KeyList } from "../../core/contract/dashboard.ts";
import type { Hosts } from "../../core/hosts.ts";
import { linkHost } from "../../core/links/test-path.ts";
import { timestamp } from "../../core/timestamp.ts";
import type { KeyRecord } from "../../store/accounts/api-keys.ts";
import { configuredProviders } from "../../store/auth/oauth-providers.ts";
import type { SessionAccount } from "../../store/auth/sessions.ts";

export function wireConfig(env: Env, hosts: Hosts, hasAccounts: boolean): DashboardConfig {
  return {
    signups: env.SIGNUPS === "open" ? "open" : "closed",
    providers: configuredProviders(env).map(({ name }) => name),
    passkeys: true,
    has_accounts: hasAccounts,
    short_domains: { live: linkHost(hosts.shortDomains.live), test: linkHost(hosts.shortDomains.test) },
  };
}

export function wireAccount({ id, email, name, plan, isOperator, createdAt }: SessionAccount): AccountInfo {
  return { id, email, name, plan, is_operator: isOperator, created_at: timestamp(createdAt) };
}

export function wireKeyList(keys: readonly KeyRecord[]): KeyList {
  return { data: keys.map(wireKey) };
}

/** @param text  the key itself, which is shown this once */
export function wireCreatedKey(record: KeyRecord, text: string): CreatedKey {
  return { ...wireKey(record), key: text };
}

function wireKey({ id, name, mode, scopes, lastFour, createdAt, lastUsedAt }: KeyRecord): KeyInfo {
  return {
    id,
    name,
    mode,
    scopes: [...scopes],
    last_four: lastFour,
    created_at: timestamp(createdAt),
    last_used_at: lastUsedAt === null ? null : timestamp(lastUsedAt),
  };
}
