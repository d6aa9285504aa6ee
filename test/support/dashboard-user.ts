/** People at the dashboard in a real browser, and rules for every page: accessible, quiet, no requests elsewhere. */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";

import type { Result } from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Download, Locator, Page, Request } from "playwright-core";
import { expect } from "vitest";

/** Not in git; CI keeps it as an artifact. */
const SCREENSHOTS_FOLDER = resolve(import.meta.dirname, "../../test-results/dashboard");
const AXE_SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Turns off the rules of axe whose impact, which is fixed for each rule, is lower than what `seriousIssues` reports. They
 * take half of the time, and one of them loads all styles again.
 */
const LEAVE_OUT_MINOR_RULES = `axe.configure({
  rules: axe._audit.rules
    .filter(({ impact }) => ["minor", "moderate"].includes(impact))
    .map(({ id }) => ({ id, enabled: false })),
})`;
/** The rules of axe whose outcome another color scheme can change; the page itself is the same. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];
const ONLY_COLOURS = { runOnly: COLOUR_RULES };
/** The color rules take most of the time, so they are not checked for the parts that only a phone shows. */
const ALL_BUT_COLOURS = { rules: Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }])) };

/** The page behind an open dialog counts as a separate page, which is checked without it. */
const CHECKED = "document.querySelector('[aria-modal=true]') ? { include: [['[data-portal]']] } : document";

/** Drawing each frame in which a hundred parts fade to another color scheme costs more than the new scheme itself. */
const WITHOUT_TRANSITIONS = `{
  const styles = new CSSStyleSheet();
  styles.replaceSync("*, ::before, ::after { transition: none !important }");
  document.adoptedStyleSheets.push(styles);
}`;
const WITH_TRANSITIONS = "document.adoptedStyleSheets.pop()";

/** Awaits a frame in which nothing moves except spinners, which have no end. */
const WAIT_FOR_ANIMATIONS = `(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const moves = () => document.getAnimations().some(
    ({ effect, playState }) => playState === "running" && effect?.getComputedTiming().endTime !== Infinity,
  );
  do {
    await frame();
    await frame();
  } while (moves());
})()`;

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
const HEIGHTS = { 390: 844, 768: 1_024, 1440: 900 };

/** How a person sees the dashboard. */
export interface Look {
  width: keyof typeof HEIGHTS;
  scheme: "light" | "dark";
}

const CONTEXT = {
  viewport: DESKTOP,
  locale: "en-GB",
  timezoneId: "Europe/Berlin",
  permissions: ["clipboard-read", "clipboard-write"],
  reducedMotion: "reduce",
} satisfies BrowserContextOptions;

/** Its first page stays open, and with it the process that has compiled the code of the pages before. */
async function newContext(browser: Browser, base: string): Promise<BrowserContext> {
  const context = await browser.newContext(CONTEXT);
  await (await context.newPage()).goto(`${base}/health`);
  return context;
}

/** Removes a person's session and storage, but not the files that their pages have loaded. */
async function forgetPerson(page: Page, base: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Storage.clearDataForOrigin", { origin: base, storageTypes: "local_storage" });
  await session.detach();
  await page.context().clearCookies();
}

const SETTLE_TIMEOUT_MS = 30_000;
/** The reference is a page of many screens, which a loaded machine draws for longer than Playwright's usual wait. */
const SCREENSHOT_TIMEOUT_MS = 120_000;
/** The same time as in Playwright's own state of this name, which the live stream never lets a page reach. */
const NETWORK_IDLE_MS = 500;

export const PASSWORD = "correct horse battery";

let addressCount = 0;
/** Unique per file, since files run in separate processes and sign-ups are counted by address. */
const NETWORK = randomBytes(4)
  .toString("hex")
  .replace(/(?<=^.{4})/, ":");

/** The content that the page saved. The browser's own files are out of reach: it is another process. */
export async function readDownload(download: Download): Promise<Buffer> {
  return buffer(await download.createReadStream());
}

/** Records what the page has written to the clipboard, which it shares with those of other files: any new link is copied. */
const RECORD_COPIED = `
  globalThis.copiedText = null;
  globalThis.writeToClipboard ??= navigator.clipboard.writeText.bind(navigator.clipboard);
  navigator.clipboard.writeText = async (text) => {
    await globalThis.writeToClipboard(text);
    globalThis.copiedText = text;
  };`;

export class DashboardUser {
  readonly email = `person-${randomUUID()}@example.com`;
  /** Forbidden for a page: errors in the console, blocked by the policy, requests to other hosts. */
  readonly pageErrors: string[] = [];

  /** Requests that have no response yet. The live stream is not included: it has no end. */
  readonly #pending = new Set<Request>();
  #lastRequestAt = 0;
  /** The latest answers of the API, for the message of a test that fails. */
  readonly #answers: string[] = [];

  readonly context: BrowserContext;
  readonly page: Page;
  readonly base: string;

  readonly #left: BrowserContext[];

  private constructor(context: BrowserContext, page: Page, base: string, left: BrowserContext[]) {
    this.context = context;
    this.page = page;
    this.base = base;
    this.#left = left;
    page.on("pageerror", (error) => this.pageErrors.push(`exception: ${error.message}`));
    page.on("console", (message) => {
      // Chromium reports every refusal of the API here as well.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        this.pageErrors.push(`console: ${message.text()}`);
      }
    });
    page.on("request", (request) => {
      this.#lastRequestAt = performance.now();
      if (!request.url().includes("/events/stream")) this.#pending.add(request);
      const { origin, protocol } = new URL(request.url());
      if (origin !== base && !["data:", "blob:"].includes(protocol)) this.pageErrors.push(`request: ${request.url()}`);
    });
    page.on("response", (response) => {
      const [, call] = response.url().split("/dashboard/api");
      if (call !== undefined) this.#answers.push(`${response.request().method()} ${call} ${response.status()}`);
    });
    for (const end of ["requestfinished", "requestfailed"] as const) {
      page.on(end as "requestfinished", (request) => void this.#pending.delete(request));
    }
  }

  /** @param left  the contexts of people who have left, to which this one's is added by `close` */
  static async create(browser: Browser, base: string, left: BrowserContext[] = []): Promise<DashboardUser> {
    const emptied = left.pop();
    const context = emptied ?? (await newContext(browser, base));
    context.setDefaultTimeout(30_000);
    await context.setExtraHTTPHeaders({ "CF-Connecting-IP": `2001:${NETWORK}:${(++addressCount).toString(16)}::1` });
    const page = await context.newPage();
    if (emptied) await forgetPerson(page, base);
    return new DashboardUser(context, page, base, left);
  }

  /** @param path  below `/dashboard` */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.base}/dashboard${path}`);
  }

  /** Creates the account, and leaves the page as it is. */
  async register(): Promise<void> {
    await this.enter("sign-up", { name: "Test User", email: this.email, password: PASSWORD });
  }

  async signUp(): Promise<void> {
    await this.register();
    await this.open("/links");
    await this.waitForHeading("Links");
  }

  /** Begins a session without the forms, which are tested separately. */
  async enter(by: "sign-in" | "sign-up", data: object): Promise<void> {
    const headers = { Origin: this.base };
    const answer = await this.context.request.post(`${this.base}/dashboard/api/auth/${by}/email`, { data, headers });
    expect(answer.status(), await answer.text()).toBe(200);
  }

  async signIn(email: string, password: string): Promise<void> {
    await this.open("/sign-in?next=/links");
    await this.page.getByLabel("Email").fill(email);
    await this.page.getByLabel(/^Password/).fill(password);
    await this.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await this.waitForHeading("Links");
  }

  async signOut(): Promise<void> {
    await this.page.getByRole("button", { name: "Account menu" }).click();
    await this.page.getByRole("menuitem", { name: "Sign out" }).click();
    await this.waitForHeading("Sign in");
  }

  /** Waits until the page with this heading is shown. */
  async waitForHeading(heading: string): Promise<void> {
    const found = this.page.getByRole("heading", { level: 1, name: heading, exact: true });
    await found.waitFor().catch(async ({ message }: Error) => {
      const shown = (await this.page.innerText("body")).slice(0, 1_000);
      throw new Error(`${message}\n${this.page.url()} shows:\n${shown}\n${this.#answers.slice(-10).join("\n")}`);
    });
  }

  async switchMode(mode: "Live" | "Test"): Promise<void> {
    // The radio itself is not visible; people click its label.
    await this.page.getByRole("radiogroup", { name: "Mode" }).getByText(mode, { exact: true }).click();
  }

  /** Waits for the page's confirmation, which it shows for two seconds. @returns the text that the button has copied */
  async copy(button: Locator): Promise<string> {
    await this.page.evaluate(RECORD_COPIED);
    const copied = this.page.getByText(/^Copied\b/).first();
    await Promise.all([copied.waitFor({ state: "attached" }), button.click()]);
    const read = () => this.page.evaluate<string | null>("globalThis.copiedText");
    await expect.poll(read).not.toBeNull();
    return (await read()) ?? "";
  }

  /**
   * Runs axe on the page in both schemes and in a phone's width, in which nothing may be cut off. With `SCREENSHOTS=1`
   * takes a picture of each.
   */
  async checkPage(name: string): Promise<void> {
    const picture = async (look: string) => {
      if (process.env.SCREENSHOTS) await this.takePicture(`${name}-${look}`);
    };
    await this.waitUntilSettled();
    await this.page.evaluate(WITHOUT_TRANSITIONS);
    for (const [scheme, choice] of [["light"], ["dark", ONLY_COLOURS]] as const) {
      await this.setColorScheme(scheme);
      await this.waitUntilSettled();
      await picture(scheme);
      expect(await this.seriousIssues(choice), `${name}, ${scheme}`).toEqual([]);
    }
    await this.setColorScheme("light");
    await this.page.setViewportSize(PHONE);
    await this.waitUntilSettled();
    await picture("phone");
    expect(await this.horizontalOverflowPx(), `${name} is wider than a phone`).toBeLessThanOrEqual(0);
    expect(await this.cutOffButtons(), `${name}, phone`).toEqual([]);
    expect(await this.seriousIssues(ALL_BUT_COLOURS), `${name}, phone`).toEqual([]);
    await this.page.setViewportSize(DESKTOP);
    await this.page.evaluate(WITH_TRANSITIONS);
  }

  async setLook({ width, scheme }: Look): Promise<void> {
    await this.page.setViewportSize({ width, height: HEIGHTS[width] });
    await this.page.emulateMedia({ colorScheme: scheme });
  }

  /** Checks the page as it looks at the moment, in one scheme and width. With `SCREENSHOTS=1` takes a picture of it. */
  async checkLook(name: string): Promise<void> {
    await this.waitUntilSettled();
    if (process.env.SCREENSHOTS) await this.takePicture(name);
    expect(await this.horizontalOverflowPx(), `${name} is wider than its window`).toBeLessThanOrEqual(0);
    expect(await this.cutOffButtons(), name).toEqual([]);
    expect(await this.seriousIssues(), name).toEqual([]);
  }

  private async takePicture(name: string): Promise<void> {
    mkdirSync(SCREENSHOTS_FOLDER, { recursive: true });
    const path = join(SCREENSHOTS_FOLDER, `${name}.png`);
    await this.page.screenshot({ path, fullPage: true, timeout: SCREENSHOT_TIMEOUT_MS });
  }

  /**
   * Leaves the context to the next person, whose pages then load in half of the time: its caches and its process stay.
   * One whose page is elsewhere ends, because that page may load forever.
   */
  async close(): Promise<void> {
    if (this.page.url().startsWith(this.base)) {
      const [, ...pages] = this.context.pages();
      await Promise.all(pages.map((page) => page.close()));
      this.#left.push(this.context);
    } else {
      await this.context.close();
    }
    expect(this.pageErrors).toEqual([]);
  }

  /**
   * Waits for the dashboard to follow, which it does in a separate task: only then do its colors begin to fade over.
   * Other pages follow immediately.
   */
  private async setColorScheme(colorScheme: "light" | "dark"): Promise<void> {
    await this.page.emulateMedia({ colorScheme });
    const follows = `html[data-mantine-color-scheme=${colorScheme}], html:not([data-mantine-color-scheme])`;
    await this.page.locator(follows).waitFor({ state: "attached" });
  }

  /** Waits until no request is in flight and nothing is fading in, so that the page is as people read it. */
  private async waitUntilSettled(): Promise<void> {
    await this.page.waitForLoadState();
    await expect.poll(() => this.#unsettled(), { timeout: SETTLE_TIMEOUT_MS, interval: 20 }).toEqual([]);
    await this.page.evaluate(WAIT_FOR_ANIMATIONS);
  }

  /** The requests in flight, or a marker that the last one is too recent. */
  #unsettled(): string[] {
    if (this.#pending.size > 0) return [...this.#pending].map((request) => request.url());
    return performance.now() - this.#lastRequestAt < NETWORK_IDLE_MS ? ["just now"] : [];
  }

  /** @param choice  of axe's rules, all of them when not given */
  private async seriousIssues(choice: object = {}): Promise<string[]> {
    if (!(await this.page.evaluate("'axe' in window"))) {
      await this.page.evaluate(`${AXE_SOURCE}; ${LEAVE_OUT_MINOR_RULES}`);
    }
    // Passed rules are described at length: leaving them out saves serializing and sending them. Selectors are not shown.
    const options = { resultTypes: ["violations"], selectors: false, ...choice };
    const run = `axe.run(${CHECKED}, ${JSON.stringify(options)}).then(({ violations }) => violations)`;
    return (await this.page.evaluate<Result[]>(run))
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
  }

  /** Texts of the buttons that are too narrow, which hides the end of their text. */
  private cutOffButtons(): Promise<string[]> {
    return this.page.evaluate(
      "[...document.querySelectorAll('button')].filter((button) => [button, ...button.querySelectorAll('*')].some(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)).map(({ textContent }) => textContent)",
    );
  }

  private horizontalOverflowPx(): Promise<number> {
    return this.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  }
}
