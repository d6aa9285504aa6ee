/** A key of a demo account with limited scopes, created as a person creates it in the dashboard. */
import type { DevServer } from "./dev-server.ts";

export async function scopedKey(
  server: DevServer,
  plan: "Premium" | "Free",
  scopes: readonly string[],
): Promise<string> {
  const headers = { "Content-Type": "application/json", Origin: server.base };
  const post = (path: string, body: unknown, more = {}) =>
    fetch(`${server.base}/dashboard/api/${path}`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  const session = await post("auth/sign-in/email", server.accounts[plan]);
  const Cookie = session.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
  const created = await post("keys", { name: "scoped", mode: "live", scopes }, { Cookie });
  if (created.status !== 201) throw new Error(`no key: ${created.status} ${await created.text()}`);
  return ((await created.json()) as { key: string }).key;
}
