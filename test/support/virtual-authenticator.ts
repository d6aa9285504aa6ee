/** A device with passkeys for a person's page: Chromium's own, which needs neither a touch nor a person. */
import type { CDPSession } from "playwright-core";

import type { DashboardUser } from "./dashboard-user.ts";

export class VirtualAuthenticator {
  private readonly session: CDPSession;
  private readonly authenticatorId: string;

  private constructor(session: CDPSession, authenticatorId: string) {
    this.session = session;
    this.authenticatorId = authenticatorId;
  }

  static async attach({ context, page }: DashboardUser): Promise<VirtualAuthenticator> {
    const session = await context.newCDPSession(page);
    await session.send("WebAuthn.enable");
    const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  /** The hosts that its passkeys are for. */
  async rpIds(): Promise<(string | undefined)[]> {
    const { credentials } = await this.session.send("WebAuthn.getCredentials", this.which);
    return credentials.map(({ rpId }) => rpId);
  }

  async clearCredentials(): Promise<void> {
    await this.session.send("WebAuthn.clearCredentials", this.which);
  }

  private get which() {
    return { authenticatorId: this.authenticatorId };
  }
}
