/** Accounts and sessions: better-auth on D1, as the dashboard's pages use it. */
import { describe, expect, test } from "vitest";

import { Browser, newEmail, PASSWORD, signedUp } from "../support/browser.ts";

describe("5.2 accounts", () => {
  test("a new account is signed in at once and on the Free plan", async () => {
    const email = newEmail();
    const browser = await signedUp(email);
    expect(await browser.account()).toEqual({
      id: expect.stringMatching(/^acc_/),
      email,
      name: "Somebody",
      plan: "free",
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const reply = await browser.api("GET", "/links");
    expect(reply.status).toBe(200);
  });
  test("signs in and out", async () => {
    const email = newEmail();
    await signedUp(email);
    const browser = new Browser();
    expect((await browser.signIn(email, "wrong password!")).status).toBe(401);
    expect((await browser.signIn(email, PASSWORD)).status).toBe(200);
    const link = await browser.createLink();
    expect((await browser.api("GET", `/links/${link.id}`)).body).toEqual(link);
    const kept = new Map(browser.cookies);
    expect((await browser.auth("/sign-out")).status).toBe(200);
    expect(browser.cookies.size).toBe(0);
    for (const [name, value] of kept) browser.cookies.set(name, value);
    expect((await browser.api("GET", "/links")).status).toBe(401);
  });
});
