/** Keeps a small backup of the format that this release writes, with what was answered before (README.md). */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { runCommand } from "../../src/cli/command.ts";
import { SetupError } from "../../src/cli/deployment/setup-error.ts";
import { BACKUP_FORMAT } from "../../src/core/contract/backup.ts";
import { GROUPINGS } from "../../src/core/clicks/groupings.ts";
import { createAccount } from "../../src/store/accounts/accounts.ts";
import { suspendAccount } from "../../src/store/accounts/account-states.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { setPassword } from "../../src/store/auth/passwords.ts";
import { ANSWERS, HOLDER, type KeptAnswers, SUSPENDED } from "./kept-answers.ts";
import { HOST, Installation } from "./installation.ts";

const FOLDER = join(import.meta.dirname, `format-${BACKUP_FORMAT}`);
const DAY_MS = 86_400_000;
const CUSTOM_DOMAIN = "links.example.net";
const CLICKS = 40;

async function keep(installation: Installation): Promise<void> {
  const DB = await installation.database();
  const holder = await createAccount({ DB }, HOLDER.email, "premium");
  const other = await createAccount({ DB }, SUSPENDED, "free");
  if (!holder || !other) throw new Error("the accounts were not made");
  await setPassword({ DB }, HOLDER.email, HOLDER.password);
  const key = await issueKeyText({ DB }, holder.id, "live", "live");
  const call = (method: string, path: string, body?: object) => installation.call(key, method, path, body);

  await call("POST", "/v1/domains", { domain: CUSTOM_DOMAIN });
  await DB.prepare("UPDATE domains SET status = 'active', verified_at = created_at").run();
  const url = "https://example.com/";
  const visited = await call("POST", "/v1/links", { url, slug: "visited", title: "=1+1 名", tags: ["blue"] });
  const routing = [{ if: { country: "DE" }, to: "https://example.com/de" }];
  const routed = await call("POST", "/v1/links", { url, slug: "routed", domain: CUSTOM_DOMAIN, routing });
  const deleted = await call("POST", "/v1/links", { url, slug: "deleted" });
  const disabled = await call("POST", "/v1/links", { url, slug: "disabled" });
  const codes = [];
  for (const format of ["svg", "png"]) codes.push(await call("POST", "/v1/qr", { link_id: visited.id, format }));
  const testKey = await issueKeyText({ DB }, holder.id, "test", "test");
  await installation.call(testKey, "POST", "/v1/links", { url, slug: "tested" });
  const otherKey = await issueKeyText({ DB }, other.id, "live", "live");
  await installation.call(otherKey, "POST", "/v1/links", { url, slug: "suspended" });

  const until = Date.now();
  for (const link of [visited, routed]) {
    for (const half of [0, 1]) {
      const [from, to] = [until - (2 - half) * DAY_MS, until - (1 - half) * DAY_MS - 60_000];
      const ids = link === visited ? codes.map(({ id }) => String(id)) : [];
      await installation.seed({ id: String(link.id), clicks: CLICKS / 2, codes: ids, from, to });
      await call("PATCH", `/v1/links/${String(link.id)}`, { url: `${url}${half}` });
    }
  }
  await call("DELETE", `/v1/links/${String(deleted.id)}`);
  await DB.prepare("UPDATE links SET disabled_at = ?1, revision = revision + 1 WHERE id = ?2")
    .bind(until, disabled.id)
    .run();
  await suspendAccount({ DB }, other.id);

  await installation.admin("backup", "--to", FOLDER);
  const range = `from=${new Date(until - 3 * DAY_MS).toISOString()}&to=${new Date(until).toISOString()}`;
  const paths = [
    "/v1/links",
    "/v1/qr",
    "/v1/domains",
    ...codes.map(({ id }) => `/v1/qr/${String(id)}`),
    ...[visited, routed].flatMap(({ id }) => [
      `/v1/links/${String(id)}/clicks?limit=10`,
      `/v1/links/${String(id)}/stats?${range}&interval=day`,
      ...GROUPINGS.map((grouping) => `/v1/links/${String(id)}/stats?${range}&include_bots=true&group_by=${grouping}`),
    ]),
  ];
  const visits = [
    ...["visited", "deleted", "disabled", "suspended"].map((slug) => `http://${HOST}/${slug}`),
    `http://test.${HOST}/tested`,
    `http://${CUSTOM_DOMAIN}/routed`,
    ...codes.map((code) => String(code.url)),
  ];
  const answers: KeptAnswers = { account: holder.id, api: {}, visits: {} };
  for (const path of paths) answers.api[path] = await call("GET", path);
  for (const visit of visits) {
    const { status, location } = await installation.visit(visit);
    answers.visits[visit] = { status, location };
  }
  await writeFile(join(FOLDER, ANSWERS), `${JSON.stringify(answers)}\n`);
}

await runCommand("Usage: node test/backups/keep.ts", {}, async () => {
  if (existsSync(FOLDER)) throw new SetupError(`${FOLDER} is there: a format is kept once`);
  const installation = await Installation.start();
  try {
    await keep(installation);
  } finally {
    await installation.stop();
  }
});
