/** Imports links from another service's file: recognition, settings, check, progress, refusals, repetition. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { Domain } from "../../../src/core/contract/domains.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import { type DashboardUser, readDownload } from "../../support/dashboard-user.ts";
import { DnsServer } from "../../support/dns-server.ts";
import { exportFile } from "../../support/export-files.ts";

const STORY_MS = 300_000;

let dns: DnsServer;

beforeAll(async () => {
  dns = await DnsServer.start();
});

afterAll(() => dns?.stop());

const dashboard = new DashboardTests(() => ({ DOH_URL: dns.url }));

async function arrive() {
  const ann = await dashboard.signUp();
  await ann.page.getByRole("link", { name: "Import your links" }).click();
  await ann.waitForHeading("Import links");
  const choose = (name: string, text: string) =>
    ann.page
      .locator("input[type=file]")
      .first()
      .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const mark = `imp${Date.now()}`;
  return { ann, page: ann.page, choose, mark };
}

/** A row of the report's totals. */
const total = (page: DashboardUser["page"], name: string) =>
  page
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name, exact: true }) })
    .getByRole("cell");

const focusedText = (page: DashboardUser["page"]) => page.evaluate("document.activeElement?.textContent");

describe("an export file", () => {
  test(
    "is recognized, checked and imported with its refusals, changes nothing the second time, and its clicks are removed again",
    async () => {
      const { ann, page, choose, mark } = await arrive();
      await ann.checkPage("import-empty");
      const rows = [
        "createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits",
        ...Array.from(
          { length: 230 },
          (_, i) => `2024,s.example.com,${mark}-${i},,https://example.com/${i},Link ${i},a|b,3`,
        ),
        `2024,s.example.com,${mark} bad,,https://example.com/,,,0`,
        `2024,s.example.com,${mark.toUpperCase()}-0,,https://example.com/other,,,0`,
      ].join("\n");
      await choose("short_urls.csv", rows);
      expect(await page.getByRole("combobox", { name: "Format" }).inputValue()).toBe("Shlink");
      await page.getByText("click counts (230)").waitFor();
      await page.getByText("s.example.com is not one of your domains.").first().waitFor();
      expect(await page.getByRole("button", { name: "Check only" }).isDisabled()).toBe(true);

      await page.getByRole("combobox", { name: /^s\.example\.com \(232 links\)/ }).click();
      await page.getByRole("option").first().click();
      await page.getByText("230 links ready, 2 refused").waitFor();
      const visits = [7, 7, 999].map((number) => ({
        date: "2024-05-01T12:00:02+02:00",
        referer: "",
        userAgent: "Example/1.0",
        potentialBot: false,
        visitedUrl: `https://s.example.com/${mark}-${number}`,
      }));
      const buffer = Buffer.from(JSON.stringify({ visits: { data: visits } }));
      await page.locator("input[type=file]").nth(1).setInputFiles({ name: "v.json", mimeType: "text/plain", buffer });
      const first = page.getByRole("region", { name: "Preview" }).getByRole("row").nth(1);
      expect(await first.textContent()).toMatch(/^232s\.example\.com\/\S+ badSlug must contain only/);
      await ann.checkPage("import-settings");

      await page.getByRole("button", { name: "Check only" }).click();
      await page.getByText("Nothing was changed.").waitFor();
      expect(await total(page, "To be created").textContent()).toBe("230");
      await page.getByRole("button", { name: "Import 230 links" }).click();
      await page.getByText("Import finished", { exact: true }).waitFor();
      expect(await focusedText(page)).toBe("Import finished");
      expect(await total(page, "Created").textContent()).toBe("230");
      await page
        .getByText("2 earlier clicks of 1 link. Skipped: 1 clicks of other links, 0 that cannot be read.")
        .waitFor();
      await page
        .getByText(/^To remove these clicks from the links later: hoplink imports delete imp_[0-9a-f]{32}$/)
        .waitFor();
      await page.getByText(/^Line 232, s\.example\.com\/\S+ bad: Slug must contain only/).waitFor();
      await page.getByText(/^Line 233, .+ only in upper and lower case/).waitFor();
      await ann.checkPage("import-report");

      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download refused rows" }).click(),
      ]);
      const saved = String(await readDownload(download)).split("\n");
      expect(saved).toHaveLength(3);
      expect(saved[0]).toBe("\uFEFFline,address,reason,advice");
      expect(saved[1]).toMatch(/^232,s\.example\.com\//);

      const visit = await fetch(`${dashboard.base}/${mark}-7`, { redirect: "manual" });
      expect([visit.status, visit.headers.get("Location")]).toEqual([302, "https://example.com/7"]);

      await page.getByRole("button", { name: "Back to import settings" }).click();
      await page.getByRole("checkbox", { name: "Hand the imported links over to the API" }).check();
      const handingOver = page.waitForResponse((response) => response.url().endsWith("/links/hand-over"));
      await page.getByRole("button", { name: "Import 230 links" }).click();
      const { results } = (await (await handingOver).json()) as { results: { origin: string }[] };
      expect([results.length, new Set(results.map(({ origin }) => origin))]).toEqual([100, new Set(["api"])]);
      await page.getByText("Import finished", { exact: true }).waitFor();
      expect(await total(page, "Created").textContent()).toBe("0");
      expect(await total(page, "Unchanged").textContent()).toBe("230");

      const undos = [
        { status: 409, json: { error: { code: "import_conflict", message: "Undo the later import first." } } },
        { status: 200, json: { object: "import", id: "imp_", remaining: 12 } },
      ];
      let goOn = () => {};
      const held = new Promise<void>((resolve) => (goOn = resolve));
      await page.route("**/dashboard/api/imports/*", async (route) => {
        const answer = undos.shift();
        if (answer) return route.fulfill(answer);
        await held;
        await route.continue();
      });
      const undo = page.getByRole("button", { name: "Undo this import" });
      const confirm = async () => {
        await undo.click();
        const question = page.getByRole("dialog", { name: "Undo this import?" });
        await question.getByText("This removes 2 earlier clicks from the links").waitFor();
        await question.getByRole("button", { name: "Undo import" }).click();
      };
      await confirm();
      await page.getByText("The import could not be undone").waitFor();
      await page.getByText("Undo the later import first.").waitFor();
      await confirm();
      await page.getByText("12 links left", { exact: true }).waitFor();
      expect(await page.getByRole("button", { name: "Back to import settings" }).isDisabled()).toBe(true);
      const undone = page.waitForResponse((response) => response.request().method() === "DELETE");
      goOn();
      const answer = await undone;
      expect(await answer.json()).toMatchObject({ object: "import", remaining: 0 });
      await page.getByText("Removed 2 earlier clicks", { exact: true }).waitFor();
      await expect.poll(() => focusedText(page)).toBe("These clicks are removed from the links.");
      expect(await undo.count()).toBe(0);
      expect((await page.request.get(answer.url(), { headers: { "Hoplink-Mode": "live" } })).status()).toBe(404);
      await page.unroute("**/dashboard/api/imports/*");
      await ann.checkPage("import-undone");

      await page.getByRole("link", { name: "Go to your links" }).click();
      await ann.waitForHeading("Links");
      await page.getByText(`${mark}-229`).first().waitFor();
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "that is invalid is refused, and a run can be canceled and continued",
    async () => {
      const { ann, page, choose, mark } = await arrive();
      await choose("notes.txt", "just,some\ntext,here");
      await page.getByRole("alert").getByText("This does not look like an export file").waitFor();
      await ann.checkPage("import-unknown");
      const format = page.getByRole("combobox", { name: "Format" });
      await format.click();
      await page.getByRole("option", { name: "Kutt" }).click();
      await page.getByRole("alert").getByText("This is not an export file of Kutt").waitFor();
      expect(await format.inputValue()).toBe("Kutt");
      await choose("short_urls.csv", "createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n");
      await page.getByRole("alert").getByText("There are no links in this file.").waitFor();
      expect(await format.count()).toBe(0);

      await choose("sink.json", exportFile("sink", 350, mark));
      await page.getByText("350 links ready").waitFor();
      let posts = 0;
      let goOn = () => {};
      const held = new Promise<void>((resolve) => (goOn = resolve));
      await page.route("**/links/bulk", async (route) => {
        if (++posts === 2) await held;
        await route.continue();
      });
      await page.getByRole("button", { name: "Import 350 links" }).click();
      await page.getByText("100 of 350 links done").waitFor();
      await page.getByRole("link", { name: "Settings" }).click();
      const question = page.getByRole("dialog", { name: "Stop the import?" });
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      await ann.switchMode("Test");
      await question.getByRole("button", { name: "Stay" }).click();
      await question.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Cancel" }).click();
      goOn();
      await page.getByText("The import stopped").waitFor();
      expect(await total(page, "Created").textContent()).toBe("200");
      await page.getByText("150 links not sent").waitFor();
      await page.getByRole("button", { name: "Import 150 links" }).click();
      await page.getByText("Import finished", { exact: true }).waitFor();
      expect(await total(page, "Created").textContent()).toBe("150");
      expect(await total(page, "Unchanged").textContent()).toBe("200");
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "is read after a retry if code or domains failed to load, and keeps its options through a reload",
    async () => {
      const { ann, page, choose, mark } = await arrive();
      await page.route("**/import-worker-*", (route) => route.abort());
      await choose("sink.json", exportFile("sink", 3, mark));
      await page.getByRole("alert").getByText("The file could not be read. Check your connection").waitFor();
      await page.unroute("**/import-worker-*");
      await page.route(/\/dashboard\/api\/domains\?/, (route) =>
        route.fulfill({ status: 422, json: { error: { code: "validation_failed", message: "Not today" } } }),
      );
      await page.reload();
      await choose("sink.json", exportFile("sink", 3, mark));
      await page.getByRole("alert").getByText("Not today").waitFor();
      await page.unroute(/\/dashboard\/api\/domains\?/);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("3 links ready").waitFor();

      const handOver = page.getByRole("checkbox", { name: "Hand the imported links over to the API" });
      await handOver.check();
      await page.reload();
      await choose("sink.json", exportFile("sink", 3, mark));
      await page.getByText(/^Your unsaved changes from .* are restored\.$/).waitFor();
      expect(await handOver.isChecked()).toBe(true);
      await page.getByRole("button", { name: "Discard them" }).click();
      expect(await handOver.isChecked()).toBe(false);
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "with slugs that differ only in case is imported to a case-sensitive domain, and changes nothing the second time",
    async () => {
      const { ann, page, choose, mark } = await arrive();
      const name = `${mark}.example.org`;
      await ann.open("/settings/domains");
      await page.getByRole("button", { name: "Add domain" }).first().click();
      const form = page.getByRole("dialog", { name: "Add a domain" });
      await form.getByLabel("Domain").fill(name);
      const [added] = await Promise.all([
        page.waitForResponse(
          (response) => response.request().method() === "POST" && response.url().endsWith("/domains"),
        ),
        form.getByRole("button", { name: "Add domain" }).click(),
      ]);
      for (const { type, name: host, value } of Domain.parse(await added.json()).records) {
        if (type !== "CERTIFICATE" && value) dns.set(host, type, value);
      }
      const card = page.getByRole("listitem", { name });
      await card.getByRole("button", { name: "Check now" }).click();
      await card.getByText("Active", { exact: true }).waitFor();

      await ann.open("/import");
      await ann.waitForHeading("Import links");
      const rows = [
        "keyword,url,title",
        ...["Ab", "aB", "ab", "c"].map((slug) => `${slug},https://example.com/${slug},`),
      ];
      const chooseDomain = async () => {
        await choose("yourls.csv", rows.join("\n"));
        await page.getByRole("combobox", { name: /^Links without a domain \(4\)/ }).click();
        await page.getByRole("option", { name }).click();
      };
      await chooseDomain();
      await page.getByText("2 links ready, 2 refused").waitFor();
      const offer = page.getByRole("alert").filter({ hasText: `Some slugs on ${name} differ only in case` });
      await offer.waitFor();
      await ann.checkPage("import-case");
      await offer.getByRole("button", { name: "Make slugs case-sensitive" }).click();
      await page.getByText("4 links ready").waitFor();
      await expect.poll(() => offer.count()).toBe(0);
      await page.getByRole("button", { name: "Import 4 links" }).click();
      await page.getByText("Import finished", { exact: true }).waitFor();
      expect(await total(page, "Created").textContent()).toBe("4");

      await page.getByRole("button", { name: "Back to import settings" }).click();
      await page.getByRole("button", { name: "Import 4 links" }).click();
      await page.getByText("Import finished", { exact: true }).waitFor();
      expect(await total(page, "Unchanged").textContent()).toBe("4");
      await page.getByRole("link", { name: "Go to your links" }).click();
      for (const slug of ["Ab", "aB", "ab"]) await page.getByText(`${name}/${slug}`, { exact: true }).first().waitFor();
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "can be dropped on the page that the palette opens, and a session that ends asks for a new sign-in",
    async () => {
      const ann = await dashboard.signUp();
      const { page } = ann;
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("textbox", { name: "Search or jump to" }).fill("import");
      await page.getByRole("button", { name: "Import links from another service" }).click();
      await ann.waitForHeading("Import links");
      const dropped = await page.evaluateHandle(
        (content) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([content], "yourls_url.sql"));
          return transfer;
        },
        exportFile("yourls", 3, `drop${Date.now()}`),
      );
      // Outside the drop area, the browser would otherwise open the file in place of the page.
      const dropOnHeading =
        "document.querySelector('h1').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true }))";
      expect(await page.evaluate(dropOnHeading)).toBe(false);
      const area = page.getByRole("region", { name: "Export file" });
      await area.dispatchEvent("dragover", { dataTransfer: dropped });
      await area.dispatchEvent("drop", { dataTransfer: dropped });
      await page.getByText("3 links ready").waitFor();
      await page.route("**/links/bulk", (route) =>
        route.fulfill({ status: 401, json: { error: { code: "missing_api_key", message: "The session has ended." } } }),
      );
      await page.getByRole("button", { name: "Import 3 links" }).click();
      await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
      await page.getByText("The session has ended. 3 links not sent.").waitFor();
      await ann.close();
    },
    STORY_MS,
  );

  test(
    "of ten thousand links is read in a worker, and if the server refuses, the unsent links are reported",
    async () => {
      const { ann, page, choose, mark } = await arrive();
      await choose("kutt.json", exportFile("kutt", 10_000, mark));
      await page.getByRole("combobox", { name: /^go\.example\.com/ }).click();
      await page.getByRole("option").first().click();
      await page.getByText("10,000 links ready").waitFor();
      // Reading and planning that many links takes at least a second, during which the page would not respond.
      expect(page.workers().map((worker) => worker.url())).toEqual([expect.stringContaining("/import-worker-")]);
      await page.route("**/links/bulk", (route) =>
        route.fulfill({ status: 422, json: { error: { code: "validation_failed", message: "Not today" } } }),
      );
      await page.getByRole("button", { name: "Import 10,000 links" }).click();
      await page.getByText("Not today 10,000 links not sent.").waitFor();
      await ann.close();
    },
    STORY_MS,
  );
});
