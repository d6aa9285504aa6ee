/** Uses the dashboard with the mouse, or with nothing but the keyboard. Checks each step as it looks then. */
import type { Download, Locator, Page } from "playwright-core";
import { expect } from "vitest";

import type { DashboardUser, Look } from "./dashboard-user.ts";

export interface Way extends Look {
  input: "mouse" | "keyboard";
}

/** More than the controls of any page. */
const TABS_MAX = 250;

/** The switches of a link's form by their labels, with the members that they set. */
export const LINK_SWITCHES = {
  "Forward query parameters": "forward_query",
  "Forward paths": "forward_path",
  "Hide from search engines": "noindex",
  Pause: "paused",
  Archive: "archived",
};

export class DashboardInput {
  readonly page: Page;
  readonly hasMouse: boolean;
  /** Of the list of links. */
  readonly rows: Locator;
  readonly ann: DashboardUser;
  readonly way: Way;

  constructor(ann: DashboardUser, way: Way) {
    this.ann = ann;
    this.way = way;
    this.page = ann.page;
    this.hasMouse = way.input === "mouse";
    this.rows = this.page.getByRole("region", { name: "Links", exact: true }).locator("li[data-link]");
  }

  row(title: string): Locator {
    return this.rows.filter({ has: this.page.getByText(title, { exact: true }) });
  }

  /** Presses a button, or follows a link. */
  async use(target: Locator): Promise<void> {
    if (this.hasMouse) return target.click();
    await this.reach(target);
    await this.page.keyboard.press("Enter");
  }

  /** @param key  the shortcut of the target */
  async useOrPress(target: Locator, key: string): Promise<void> {
    if (this.hasMouse) await target.click();
    else await this.page.keyboard.press(key);
  }

  async type(field: Locator, text: string): Promise<void> {
    if (this.hasMouse) await field.click();
    else await this.reach(field);
    await this.page.keyboard.press("Control+A");
    if (text === "") await this.page.keyboard.press("Backspace");
    else await this.page.keyboard.type(text);
  }

  /** Turns a switch or a checkbox on or off. */
  async flip(target: Locator): Promise<void> {
    if (this.hasMouse) return target.click();
    await this.reach(target);
    await this.page.keyboard.press("Space");
  }

  /** Chooses an option of the browser's own list, which no page can open. */
  async select(field: Locator, label: string): Promise<void> {
    const labels = await field.locator("option").allTextContents();
    if (this.hasMouse) return void (await field.selectOption({ label }));
    await this.reach(field);
    const chosen = await field.locator("option:checked").textContent();
    const steps = labels.indexOf(label) - labels.indexOf(chosen ?? "");
    for (let i = 0; i < Math.abs(steps); i++) await this.page.keyboard.press(steps > 0 ? "ArrowDown" : "ArrowUp");
  }

  /** @param step  checks the open menu */
  async chooseFromMenu(button: Locator, name: RegExp, step?: string): Promise<void> {
    const item = this.page.getByRole("menuitem", { name });
    // Some menus cannot be opened until their items are loaded.
    await button.click({ trial: true });
    await this.use(button);
    await item.waitFor();
    if (step) await this.check(step);
    if (this.hasMouse) return item.click();
    for (let i = 0; i < TABS_MAX && !(await isFocused(item)); i++) await this.page.keyboard.press("ArrowDown");
    await this.page.keyboard.press("Enter");
  }

  /** Chooses a file in the window of the system that a button opens. */
  async chooseFile(button: Locator, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    const [chooser] = await Promise.all([this.page.waitForEvent("filechooser"), this.use(button)]);
    await chooser.setFiles(file);
  }

  /** Pastes a text where the focus is. The clipboard itself is shared with other files. */
  async paste(text: string): Promise<void> {
    await this.page.evaluate((pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      document.activeElement?.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, clipboardData }));
    }, text);
  }

  /** Chooses an option of a list that opens below its field. */
  async choose(field: Locator, name: string | RegExp): Promise<void> {
    const option = this.page.getByRole("option", { name, exact: true });
    if (this.hasMouse) {
      await field.click();
      return option.click();
    }
    await this.reach(field);
    await this.page.keyboard.press("ArrowDown");
    await option.waitFor();
    for (let i = 0; i < TABS_MAX; i++) {
      if (await option.evaluate((element) => element.matches("[data-combobox-selected]"))) break;
      await this.page.keyboard.press("ArrowDown");
    }
    await this.page.keyboard.press("Enter");
  }

  /** Chooses the option to the right of the chosen one, of those that lie side by side. */
  async chooseBeside(options: Locator, name: string): Promise<void> {
    const text = options.getByText(name, { exact: true });
    await text.waitFor();
    if (this.hasMouse) return text.click();
    const chosen = options.getByRole("radio", { checked: true });
    for (let i = 0; i < TABS_MAX && !(await isFocused(chosen)); i++) await this.page.keyboard.press("Tab");
    await this.page.keyboard.press("ArrowRight");
  }

  /** On phones, filters and settings are folded into a button. */
  async unfold(): Promise<void> {
    const button = this.page.getByRole("button", { name: /^Filters/, expanded: false });
    if (await button.isVisible()) await this.use(button);
  }

  /** Selects rows of the list, or clears them. */
  async toggle(...rows: number[]): Promise<void> {
    for (const row of rows) {
      if (this.hasMouse) {
        await this.rows.nth(row).getByRole("checkbox").click();
      } else {
        await this.goToRow(row);
        await this.page.keyboard.press("x");
      }
    }
  }

  async goToRow(row: number): Promise<void> {
    const link = this.rows.nth(row).getByRole("link").first();
    for (const key of ["j", "k"]) {
      for (let i = 0; i <= row + 20; i++) {
        if (await isFocused(link)) return;
        await this.page.keyboard.press(key);
      }
    }
    throw new Error(`Row ${row} is not reached by J and K`);
  }

  /** Presses Tab until the focus is there, or Shift and Tab for a target above the focus. */
  async reach(target: Locator): Promise<void> {
    await target.waitFor();
    const isAbove = await target.evaluate((element) =>
      Boolean((document.activeElement?.compareDocumentPosition(element) ?? 0) & Node.DOCUMENT_POSITION_PRECEDING),
    );
    for (let i = 0; i < TABS_MAX; i++) {
      if (await isFocused(target)) return;
      await this.page.keyboard.press(isAbove ? "Shift+Tab" : "Tab");
    }
    throw new Error(`${String(target)} is not reached by Tab`);
  }

  /** Waits until a dialog has closed, and the focus is where the keyboard continues. */
  async waitUntilClosed(dialog: Locator): Promise<void> {
    await dialog.waitFor({ state: "detached" });
    const focused = () => this.page.evaluate<string>("document.activeElement.localName");
    await expect.poll(focused).not.toBe("body");
  }

  async download(act: () => Promise<void>): Promise<Download> {
    const [download] = await Promise.all([this.page.waitForEvent("download"), act()]);
    return download;
  }

  nameOf(step: string): string {
    const { width, scheme, input } = this.way;
    return `${width}-${scheme}-${input}-${step}`;
  }

  async check(step: string): Promise<void> {
    await this.ann.checkLook(this.nameOf(step));
  }
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element.matches(":focus"));
}
