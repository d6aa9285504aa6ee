/** What every file of browser tests needs: a server and Chromium while its tests run, and the people in front of them. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

import { ApiClient } from "./api-client.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { DashboardUser } from "./dashboard-user.ts";
import { demoAccountOf, type DevServer, keysOf } from "./dev-server.ts";

type Plan = "Premium" | "Free";
type Cookies = Awaited<ReturnType<DashboardUser["context"]["cookies"]>>;

/** Starts before the file's first test, and stops after its last. */
export class DashboardTests {
  #running: Dashboard | undefined;
  readonly #sessions = new Map<Plan, Cookies>();

  /** @param settings  environment variables of the server, asked for when it starts */
  constructor(settings: () => Record<string, string> = () => ({})) {
    beforeAll(async () => {
      this.#running = await startDashboard(settings());
    });
    afterAll(() => this.#running?.stop());
  }

  get server(): DevServer {
    return this.#started.server;
  }

  get browser(): Browser {
    return this.#started.browser;
  }

  get base(): string {
    return this.server.base;
  }

  /** Somebody who has not signed in. */
  newUser(): Promise<DashboardUser> {
    return DashboardUser.create(this.browser, this.base);
  }

  /** Somebody at the empty list of a new account. */
  async signUp(): Promise<DashboardUser> {
    const user = await this.newUser();
    await user.signUp();
    return user;
  }

  /** Somebody with a session of a plan's demo account: signed in once for all, since sign-ins are counted. */
  async signIn(plan: Plan = "Premium"): Promise<DashboardUser> {
    const user = await this.newUser();
    const session = this.#sessions.get(plan);
    if (session) {
      await user.context.addCookies(session);
    } else {
      const { email, password } = demoAccountOf(this.server, plan);
      await user.signIn(email, password);
      this.#sessions.set(plan, await user.context.cookies());
    }
    return user;
  }

  /** For a test that ends the session. */
  forgetSession(plan: Plan = "Premium"): void {
    this.#sessions.delete(plan);
  }

  /** With the demo account's live key: what it creates was made by the API, not in the dashboard. */
  api(plan: Plan = "Premium"): ApiClient {
    return new ApiClient(this.base, keysOf(this.server, plan).live);
  }

  get #started(): Dashboard {
    if (!this.#running) throw new Error("the dashboard runs only while tests do");
    return this.#running;
  }
}
