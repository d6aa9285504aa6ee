/** The token for Cloudflare's API: `CLOUDFLARE_API_TOKEN`, or what `wrangler login` has stored. */
import { endOfWrangler, runWrangler, startWrangler } from "../wrangler.ts";

/** @returns null when nobody is logged in */
export async function storedToken(): Promise<string | null> {
  if (process.env.CLOUDFLARE_API_TOKEN) return process.env.CLOUDFLARE_API_TOKEN;
  const printed = await runWrangler(["auth", "token", "--json"]).catch(() => "{}");
  return (JSON.parse(printed) as { token?: string }).token ?? null;
}

/** Opens the browser. @throws Error when the login was not completed */
export async function logIn(): Promise<void> {
  const code = await endOfWrangler(startWrangler(["login"], "inherit"));
  if (code !== 0) throw new Error("The login was not completed.");
}
