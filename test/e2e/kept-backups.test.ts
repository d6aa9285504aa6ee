/** Backups that earlier releases have made are restored by this one, and what they hold is answered as it was then. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

import { BACKUP_FORMAT } from "../../src/core/contract/backup.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { ANSWERS, HOLDER, type KeptAnswers } from "../backups/kept-answers.ts";
import { Installation } from "../backups/installation.ts";

const FOLDER = resolve(import.meta.dirname, "../backups");
const FORMATS = readdirSync(FOLDER).filter((name) => name.startsWith("format-"));
const TIMEOUT_MS = 300_000;

test("of every format one is kept", () => {
  expect(FORMATS.sort()).toEqual(Array.from({ length: BACKUP_FORMAT }, (_, i) => `format-${i + 1}`).sort());
});

test.each(FORMATS)(
  "the kept backup of %s is restored",
  async (format) => {
    const kept = JSON.parse(readFileSync(join(FOLDER, format, ANSWERS), "utf8")) as KeptAnswers;
    const installation = await Installation.start();
    try {
      await installation.admin("restore", "--from", join(FOLDER, format));
      const key = await issueKeyText({ DB: await installation.database() }, kept.account, "live", "test");
      // Later releases may answer more, but nothing else.
      for (const [path, answer] of Object.entries(kept.api))
        expect(await installation.call(key, "GET", path), path).toMatchObject(answer);
      for (const [url, answer] of Object.entries(kept.visits))
        expect(await installation.visit(url), url).toMatchObject(answer);
      const { email, password } = HOLDER;
      expect((await installation.signIn(email, password)).status).toBe(200);
    } finally {
      await installation.stop();
    }
  },
  TIMEOUT_MS,
);
