/** The page of tags, in a real browser. */
import { expect, test } from "vitest";

import { DashboardTests } from "../support/dashboard-tests.ts";
import { createVisitedLink } from "../support/visited-link.ts";

const STORY_MS = 600_000;
const COUNTED = { timeout: 150_000 };

const dashboard = new DashboardTests();

test(
  "tags show their links and clicks, and lead to the list and to the overview",
  async () => {
    const ann = await dashboard.signIn();
    const { page } = ann;
    await createVisitedLink(dashboard.api(), { tags: ["Spring"] });
    await dashboard.api().createLink({ tags: ["spring", "Press"] });
    await ann.open("/links");
    await page.getByRole("link", { name: "Tags", exact: true }).click();
    await ann.waitForHeading("Tags");
    const row = (name: RegExp) => page.getByRole("row").filter({ has: page.getByRole("link", { name }) });
    await expect
      .poll(() =>
        row(/^spring$/i)
          .getByRole("cell")
          .nth(1)
          .innerText(),
      )
      .toBe("2");
    await expect
      .poll(
        () =>
          row(/^spring$/i)
            .getByRole("cell")
            .nth(2)
            .innerText(),
        COUNTED,
      )
      .toBe("5");
    await expect
      .poll(() =>
        row(/^press$/i)
          .getByRole("cell")
          .nth(2)
          .innerText(),
      )
      .toBe("0");
    await ann.checkPage("tags");

    await page.getByRole("searchbox", { name: "Find a tag" }).fill("pre");
    await row(/^spring$/i).waitFor({ state: "detached" });
    await page.getByRole("searchbox", { name: "Find a tag" }).fill("nothing like it");
    await page.getByText("No matching tags.").waitFor();
    await page.getByRole("searchbox", { name: "Find a tag" }).fill("");

    await page.getByRole("link", { name: /^spring$/i }).click();
    await ann.waitForHeading("Links");
    expect(new URL(page.url()).searchParams.get("tag")?.toLowerCase()).toBe("spring");
    await page.goBack();
    await page.getByRole("link", { name: /^Statistics of spring$/i }).click();
    await ann.waitForHeading("Overview");
    await expect.poll(() => page.getByTestId("total").innerText(), COUNTED).toBe("5");
    await page.getByRole("button", { name: /^Remove filter Tag: spring$/i }).waitFor();
    await ann.close();
  },
  STORY_MS,
);

test("an account without tags sees what they are for", async () => {
  const ann = await dashboard.signUp();
  await ann.page.getByRole("link", { name: "Tags", exact: true }).click();
  await ann.page.getByRole("heading", { name: "No tags yet" }).waitFor();
  await ann.page.getByText("Example: spring-sale").waitFor();
  await ann.close();
});
