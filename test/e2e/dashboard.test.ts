/** The dashboard as people use it: the whole server, and a real browser in front of it. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startChromium } from "../support/chromium.ts";
import { PASSWORD, Person } from "../support/dashboard.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";

const STORY_MS = 180_000;

let folder: string;
let server: DevServer;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hoplink-dashboard-"));
  browser = await startChromium();
  server = await startDevServer(folder);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const arrive = () => Person.arrive(browser, server.base);

describe("signing in", () => {
  test(
    "needs an account; what is wrong is said at its field",
    async () => {
      const ann = await arrive();
      const { page } = ann;
      await ann.open("/settings/api-keys");
      await ann.sees("Sign in");
      await ann.examines("sign-in");

      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("Enter your e-mail address").waitFor();
      await page.getByLabel("E-mail").fill(ann.email);
      await page.getByLabel(/^Password/).fill("not the password");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByText("E-mail address or password is wrong").waitFor();

      await page.getByRole("link", { name: "Sign up" }).click();
      await ann.sees("Sign up");
      await ann.examines("sign-up");
      await page.getByLabel("E-mail").fill(ann.email);
      await page.getByLabel(/^Password/).fill("short");
      await page.getByRole("button", { name: "Sign up" }).click();
      await page.getByText("The password needs at least 10 characters").waitFor();
      await page.getByLabel(/^Password/).fill(PASSWORD);
      await page.getByRole("button", { name: "Sign up" }).click();
      // Back to the page that was asked for.
      await ann.sees("API keys");

      await ann.signOut();
      await page.goBack();
      await ann.sees("Sign in");
      await ann.signIn(ann.email, PASSWORD);
      await ann.leave();
    },
    STORY_MS,
  );
});
