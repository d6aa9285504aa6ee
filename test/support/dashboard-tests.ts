/** Setup for every file of browser tests: a server and Chromium while its tests run, and people in front of them. */
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

import { ApiClient } from "./api-client.ts";
import { DashboardUser } from "./dashboard-user.ts";
import { type DevServer, type Plan, startDevServer } from "./dev-server.ts";
import { sharedBrowser, sharedServer } from "./shared-server.ts";

type Cookies = Awaited<ReturnType<DashboardUser["context"]["cookies"]>>;

/** The contexts of people who have left, also those of earlier files. */
const LEFT: BrowserContext[] = [];

export class DashboardTests {
  #server: DevServer | undefined;
  #browser: Browser | undefined;
  readonly #sessions = new Map<Plan, Cookies>();

  /** @param settings  environment variables for a separate server of this file, read when it starts */
  constructor(settings?: () => Record<string, string>) {
    beforeAll(async () => {
      this.#browser = await sharedBrowser();
      this.#server = settings ? await startDevServer(settings()) : await sharedServer();
    });
    afterAll(async () => {
      const contexts = this.#browser?.contexts().filter((context) => !LEFT.includes(context)) ?? [];
      await Promise.all([...contexts.map((context) => context.close()), this.#server?.remove()]);
    });
  }

  get server(): DevServer {
    return running(this.#server);
  }

  get browser(): Browser {
    return running(this.#browser);
  }

  get base(): string {
    return this.server.base;
  }

  /** A person who has not signed in. */
  newUser(): Promise<DashboardUser> {
    return DashboardUser.create(this.browser, this.base, LEFT);
  }

  /** A person with a new account, at no page yet. */
  async register(): Promise<DashboardUser> {
    const user = await this.newUser();
    await user.register();
    return user;
  }

  /** A person at the empty list of a new account. */
  async signUp(): Promise<DashboardUser> {
    const user = await this.newUser();
    await user.signUp();
    return user;
  }

  /** A person with a session of a plan's demo account: signed in once for all, since sign-ins are counted. */
  async signIn(plan: Plan = "Premium"): Promise<DashboardUser> {
    const user = await this.newUser();
    const session = this.#sessions.get(plan);
    if (session) {
      await user.context.addCookies(session);
    } else {
      const { email, password } = this.server.accounts[plan];
      await user.enter("sign-in", { email, password });
      this.#sessions.set(plan, await user.context.cookies());
    }
    return user;
  }

  /** For a test that ends the session. */
  forgetSession(plan: Plan = "Premium"): void {
    this.#sessions.delete(plan);
  }

  /** A client with the demo account's live key. Its links count as created by the API, not in the dashboard. */
  api(plan: Plan = "Premium"): ApiClient {
    return new ApiClient(this.base, this.server.accounts[plan].live);
  }
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("the dashboard runs only while tests do");
  return part;
}
