/**
 * The controls of links, QR codes, UTM templates, domains and imported clicks: each is used by mouse on a wide screen and by
 * keyboard on a dark phone, where every form and menu is checked as it looks.
 */
import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";

import { DomainPage } from "../../../src/core/contract/domains.ts";
import type { Link, LinkPage } from "../../../src/core/contract/links.ts";
import { DashboardInput, LINK_SWITCHES, type Way } from "../../support/dashboard-input.ts";
import { DashboardTests } from "../../support/dashboard-tests.ts";
import { RED_PNG } from "../../support/sample-images.ts";

const STORY_MS = 300_000;

const dashboard = new DashboardTests();

const WAYS: readonly Way[] = [
  { width: 1_440, scheme: "light", input: "mouse" },
  { width: 390, scheme: "dark", input: "keyboard" },
];

describe.each(WAYS.map((way) => [`${way.width} px, ${way.scheme}, ${way.input}`, way] as const))(
  "17, 18 %s",
  (_, way) => {
    async function arrive(path: string, links: Record<string, unknown>[] = []) {
      const ann = await dashboard.register();
      const { page } = ann;
      const base = `${dashboard.base}/dashboard/api`;
      if (links.length > 0) {
        const data = { links: links.map((link) => ({ url: "https://example.com/", ...link })) };
        const created = await page.request.post(`${base}/links/bulk`, { data, headers: { Origin: dashboard.base } });
        expect(created.status(), await created.text()).toBe(200);
      }
      await ann.setLook(way);
      await ann.open(path);
      const hand = new DashboardInput(ann, way);
      const read = async (): Promise<Link[]> => {
        const list = await page.request.get(`${base}/links?archived=any&sort=created_at`);
        return ((await list.json()) as LinkPage).data;
      };
      return { ann, page, hand, read, base };
    }

    type Arrived = Awaited<ReturnType<typeof arrive>>;

    async function createTemplate({ page, hand }: Arrived): Promise<void> {
      await hand.use(page.getByRole("button", { name: "Create your first template" }));
      const form = page.getByRole("dialog", { name: "Create a UTM template" });
      await hand.type(form.getByLabel("Name"), "Newsletter");
      await hand.type(form.getByLabel("Source"), "news");
      await hand.check("utm-template");
      await hand.use(form.getByRole("button", { name: "Save" }));
      await hand.waitUntilClosed(form);
    }

    const ON = Object.fromEntries(Object.values(LINK_SWITCHES).map((member) => [member, true]));

    async function flipAll(hand: DashboardInput, dialog: Locator): Promise<void> {
      for (const name of [...Object.keys(LINK_SWITCHES), "Require a password"])
        await hand.flip(dialog.getByRole("switch", { name: new RegExp(`^${name}`) }));
    }

    test(
      "members of a link are set when it is created, changed, restored, and switched by its menu",
      async () => {
        const arrived = await arrive("/settings/utm-templates");
        const { ann, page, hand, read } = arrived;
        await createTemplate(arrived);
        await ann.open("/links?dialog=link");
        const form = page.getByRole("dialog", { name: "Create a link" });
        const part = (dialog: Locator, name: string) => dialog.getByRole("button", { name: new RegExp(`^${name}`) });
        const mark = `controls-${Date.now()}`;
        await hand.type(form.getByLabel("Destination"), "https://example.com/members");
        await hand.type(form.getByLabel("Slug", { exact: true }), mark);
        await hand.use(part(form, "Aliases"));
        await hand.use(form.getByRole("button", { name: "Add an alias" }));
        await hand.type(form.getByLabel("Slug of alias 1"), `${mark}/größe`);
        await hand.use(part(form, "Campaign"));
        await hand.chooseFromMenu(form.getByRole("button", { name: "Use a template" }), /^Newsletter/, "utm-menu");
        await hand.use(part(form, "Custom preview"));
        await hand.type(form.getByLabel("Preview title"), "Card");
        await hand.type(form.getByLabel("Preview description"), "Words");
        const upload = form.getByRole("button", { name: "Upload an image" });
        await hand.chooseFile(upload, { name: "card.png", mimeType: "image/png", buffer: Buffer.from(RED_PNG) });
        await flipAll(hand, form);
        await hand.type(form.getByLabel("Password", { exact: true }), "first password");
        await hand.select(form.getByLabel("Redirect status"), "308 – permanent, keeps the method");
        await hand.check("create-members");
        await hand.use(form.getByRole("button", { name: "Create link", exact: true }));
        const made = page.getByRole("dialog", { name: "Link created" });
        await made.getByText("Copied. Press Enter to close.").waitFor();
        await page.keyboard.press("Enter");
        await made.waitFor({ state: "detached" });
        const [created] = await read();
        const restored = {
          ...ON,
          url: "https://example.com/members?utm_source=news",
          redirect_status: 308,
          aliases: [{ slug: `${mark}/größe` }],
          social: { title: "Card", description: "Words", image: expect.stringContaining("/cdn/img_") },
        };
        expect(created).toMatchObject({ ...restored, password_protected: true });

        await ann.open(`/links/${created?.id}?tab=history`);
        await hand.use(page.getByRole("button", { name: "Edit", exact: true }));
        const edit = page.getByRole("dialog", { name: "Edit link" });
        await hand.type(edit.getByLabel("Destination"), "https://example.com/edited");
        await hand.use(part(edit, "Campaign"));
        await hand.chooseFromMenu(edit.getByRole("button", { name: "Use a template" }), /^Newsletter/);
        await hand.use(part(edit, "Aliases"));
        await hand.use(edit.getByRole("button", { name: "Remove alias 1" }));
        await hand.use(part(edit, "Custom preview"));
        for (const field of ["title", "description", "image"]) await hand.type(edit.getByLabel(`Preview ${field}`), "");
        await flipAll(hand, edit);
        await hand.select(edit.getByLabel("Redirect status"), "302 – temporary (default)");
        await hand.check("edit-members");
        await hand.use(edit.getByRole("button", { name: "Save" }));
        await hand.waitUntilClosed(edit);
        const [edited] = await read();
        expect(edited?.url).toBe("https://example.com/edited?utm_source=news");
        for (const member of Object.keys({ ...restored, password_protected: true }))
          if (member !== "url") expect(edited).not.toHaveProperty(member);

        await hand.use(page.getByRole("button", { name: "Restore version 2", exact: true }));
        const question = page.getByRole("dialog");
        await question.getByText(/^This changes: /).waitFor();
        await hand.check("restore");
        await hand.use(question.getByRole("button", { name: "Restore", exact: true }));
        await page.getByRole("status").getByText("Version 2 restored.").waitFor();
        const [again] = await read();
        expect(again).toMatchObject(restored);
        expect(again).not.toHaveProperty("password_protected");

        const menu = page.getByRole("button", { name: /^More actions for/ });
        for (const [name, member, value] of [
          ["Resume", "paused", undefined],
          ["Unarchive", "archived", undefined],
          ["Pause", "paused", true],
          ["Archive", "archived", true],
        ] as const) {
          await hand.chooseFromMenu(menu, new RegExp(`^${name}$`), `menu-${name}`);
          await expect.poll(async () => (await read())[0]?.[member]).toBe(value);
          // Otherwise, the menu could still have the item of before.
          await page
            .getByText(member === "paused" ? "Paused" : "Archived", { exact: true })
            .first()
            .waitFor({ state: value ? "visible" : "detached" });
        }
        await hand.chooseFromMenu(menu, /^Hand over to the API$/);
        await hand.check("hand-over-one");
        await hand.use(page.getByRole("dialog").getByRole("button", { name: "Hand over to the API" }));
        await page.getByText("1 link handed over to the API").waitFor();
        await ann.close();
      },
      STORY_MS,
    );

    test(
      "links are paused, resumed, archived, unarchived and handed over together, and from a row",
      async () => {
        const { ann, page, hand, read } = await arrive("/links", [
          { title: "One" },
          { title: "Two" },
          { title: "Three" },
        ]);
        const actions = page.getByRole("group", { name: "Selected links" });
        const act = (name: string) => hand.use(actions.getByRole("button", { name, exact: true }));
        const states = async (member: "paused" | "archived") => (await read()).map((link) => link[member] ?? false);
        await hand.rows.nth(2).waitFor();
        await hand.toggle(0, 1);
        await hand.check("bulk-actions");
        await act("Pause");
        const pause = page.getByRole("dialog", { name: "Pause these 2 links?" });
        await hand.check("bulk-pause");
        await hand.use(pause.getByRole("button", { name: "Pause" }));
        await page.getByText("2 links paused").waitFor();
        await hand.waitUntilClosed(pause);
        expect((await states("paused")).filter(Boolean)).toHaveLength(2);
        await hand.toggle(0, 1);
        await act("Resume");
        await page.getByText("2 links resumed").waitFor();
        expect(await states("paused")).toEqual([false, false, false]);
        await expect.poll(() => actions.count()).toBe(0);

        await hand.toggle(0, 1);
        await act("Hand over to the API");
        const handOver = page.getByRole("dialog", { name: "Hand these 2 links over to the API?" });
        await hand.check("bulk-hand-over");
        await hand.use(handOver.getByRole("button", { name: "Hand over to the API" }));
        await page.getByText("2 links handed over to the API").waitFor();
        await hand.waitUntilClosed(handOver);
        await expect.poll(() => actions.count()).toBe(0);

        await hand.toggle(0, 1);
        await act("Archive");
        await page.getByText("2 links archived").waitFor();
        await expect.poll(() => hand.rows.count()).toBe(1);
        await hand.unfold();
        await hand.select(page.getByLabel("Status"), "Archived");
        await expect.poll(() => hand.rows.count()).toBe(2);
        // Letters choose an option while the filter has the focus.
        for (const row of [0, 1]) await hand.flip(hand.rows.nth(row).getByRole("checkbox"));
        await hand.check("bulk-archived");
        await act("Unarchive");
        await page.getByText("2 links unarchived").waitFor();
        expect(await states("archived")).toEqual([false, false, false]);
        await hand.use(page.getByRole("button", { name: "Show all links" }));
        await expect.poll(() => hand.rows.count()).toBe(3);

        const menu = hand.row("Two").getByRole("button", { name: /^More actions for/ });
        for (const [name, done] of [
          ["Pause", /is paused$/],
          ["Resume", /is no longer paused$/],
          ["Archive", /is archived$/],
        ] as const) {
          await hand.chooseFromMenu(menu, new RegExp(`^${name}$`), `row-${name}`);
          await page.getByText(done).waitFor();
          const paused = hand.row("Two").getByText("Paused", { exact: true });
          if (name !== "Archive") await paused.waitFor({ state: name === "Pause" ? "visible" : "detached" });
        }
        await expect.poll(() => hand.rows.count()).toBe(2);
        await ann.close();
      },
      STORY_MS,
    );

    test(
      "QR codes are named and archived, and UTM templates and domains are changed",
      async () => {
        const arrived = await arrive("/settings/utm-templates", [{ title: "One" }]);
        const { ann, page, hand, read, base } = arrived;
        await createTemplate(arrived);
        const template = page.getByRole("listitem", { name: "Newsletter" });
        await hand.use(template.getByRole("button", { name: "Edit Newsletter" }));
        const edited = page.getByRole("dialog", { name: "Edit UTM template" });
        await hand.type(edited.getByLabel("Medium"), "email");
        await hand.use(edited.getByRole("button", { name: "Save" }));
        await template.getByText("utm_source=news&utm_medium=email", { exact: true }).waitFor();
        await hand.check("utm-templates");
        await hand.use(template.getByRole("button", { name: "Delete Newsletter" }));
        await hand.use(page.getByRole("button", { name: "Delete template" }));
        await page.getByRole("heading", { name: "No UTM templates yet" }).waitFor();

        await ann.open(`/links/${(await read())[0]?.id}?tab=qr`);
        await hand.type(page.getByRole("textbox", { name: "Name", exact: true }), "Flyer");
        await hand.use(page.getByRole("button", { name: "Create QR code" }));
        const code = page.getByRole("article");
        await code.getByText("Flyer", { exact: true }).waitFor();
        await hand.use(code.getByRole("button", { name: "Rename" }));
        const name = page.getByRole("dialog").getByRole("textbox");
        await hand.type(name, "Poster");
        await hand.check("qr-name");
        await page.keyboard.press("Enter");
        await code.getByText("Poster", { exact: true }).waitFor();
        await hand.use(code.getByRole("button", { name: "Archive" }));
        await code.waitFor({ state: "detached" });
        await hand.flip(page.getByRole("switch", { name: "Show archived codes" }));
        await code.waitFor();
        await hand.check("qr-archived");
        await hand.use(code.getByRole("button", { name: "Unarchive" }));
        await page.getByText("QR code unarchived").waitFor();

        const host = `controls-${way.input}.example.org`;
        await page.request.post(`${base}/domains`, { data: { domain: host }, headers: { Origin: dashboard.base } });
        const saved = async () => DomainPage.parse(await (await page.request.get(`${base}/domains`)).json()).data[0];
        await ann.open("/settings/domains");
        const card = page.getByRole("listitem", { name: host });
        await hand.flip(card.getByRole("switch", { name: "Show where links lead" }));
        await page.getByText(`A + no longer shows where links on ${host} lead`).waitFor();
        await hand.use(card.getByRole("button", { name: "Default redirects" }));
        const redirects = page.getByRole("dialog", { name: `Default redirects of ${host}` });
        await hand.type(redirects.getByLabel("Expired links"), "example.com/over");
        await hand.check("default-redirects");
        await hand.use(redirects.getByRole("button", { name: "Save" }));
        await page.getByText("Default redirects saved").waitFor();
        await hand.waitUntilClosed(redirects);
        await hand.use(card.getByRole("button", { name: "App links" }));
        const apps = page.getByRole("dialog", { name: `App links of ${host}` });
        const list = (label: string) => apps.getByLabel(label, { exact: true }).and(page.locator("input"));
        await hand.type(apps.getByLabel("Team ID"), "ABCDE12345");
        await hand.type(list("Bundle IDs"), "com.example.app,");
        await hand.type(list("Paths"), "/app/*,");
        await hand.type(apps.getByLabel("Package name"), "com.example.app");
        await hand.type(list("SHA-256 fingerprints"), `${Array(32).fill("AB").join(":")},`);
        await hand.check("app-links");
        await hand.use(apps.getByRole("button", { name: "Save" }));
        await page.getByText("App links saved").waitFor();
        await hand.waitUntilClosed(apps);
        expect(await saved()).toMatchObject({
          expired_url: "https://example.com/over",
          peek: false,
          well_known: {
            "apple-app-site-association": { applinks: { details: [{ components: [{ "/": "/app/*" }] }] } },
            "assetlinks.json": [{ target: { package_name: "com.example.app" } }],
          },
        });
        await hand.use(card.getByRole("button", { name: "App links" }));
        await hand.chooseBeside(apps.getByRole("radiogroup", { name: "View" }), "JSON");
        await hand.type(apps.getByLabel("assetlinks.json"), "[]");
        await hand.check("app-links-json");
        await hand.use(apps.getByRole("button", { name: "Save" }));
        await hand.waitUntilClosed(apps);
        expect(await saved()).toMatchObject({
          well_known: { "apple-app-site-association": expect.anything(), "assetlinks.json": [] },
        });
        await hand.flip(card.getByRole("switch", { name: "Show where links lead" }));
        await page.getByText(`A + now shows where links on ${host} lead`).waitFor();
        expect(await saved()).not.toHaveProperty("peek");
        await hand.check("domain");
        await ann.close();
      },
      STORY_MS,
    );

    test(
      "links are imported with their earlier clicks, which are removed again",
      async () => {
        const { ann, page, hand, read } = await arrive("/import");
        const mark = `history-${Date.now()}`;
        const rows = [0, 1].map((i) => `2024,s.example.com,${mark}-${i},,https://example.com/${i},Link ${i},,2`);
        const links = ["createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits", ...rows].join("\n");
        const visit = { date: "2024-05-01T12:00:02+02:00", referer: "", userAgent: "Example/1.0", potentialBot: false };
        const clicks = JSON.stringify(
          [0, 1].map((i) => ({ ...visit, visitedUrl: `https://s.example.com/${mark}-${i}` })),
        );
        const fileOf = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
        await hand.chooseFile(page.getByRole("button", { name: "Choose a file" }), fileOf("links.csv", links));
        const domain = page.getByRole("combobox", { name: /^s\.example\.com \(2 links\)/ });
        await domain.waitFor();
        await hand.choose(domain, /.+/);
        await page.getByText("2 links ready").waitFor();
        await hand.chooseFile(page.getByRole("button", { name: /^Click history/ }), fileOf("visits.json", clicks));
        await hand.flip(page.getByRole("checkbox", { name: "Hand the imported links over to the API" }));
        await hand.check("import");
        await hand.use(page.getByRole("button", { name: "Import 2 links" }));
        await page.getByText("2 earlier clicks of 2 links.").waitFor();
        expect(await read()).toHaveLength(2);
        await hand.check("imported");
        await hand.use(page.getByRole("button", { name: "Undo this import" }));
        const question = page.getByRole("dialog", { name: "Undo this import?" });
        await hand.check("undo");
        await hand.use(question.getByRole("button", { name: "Undo import" }));
        await page.getByText("Removed 2 earlier clicks", { exact: true }).waitFor();
        await hand.check("undone");
        await ann.close();
      },
      STORY_MS,
    );
  },
);
