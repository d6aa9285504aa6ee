/** The token for a command about a deployment: the login that is stored, or a new one. */
import { logIn, storedToken } from "../cloudflare/credentials.ts";
import type { Progress } from "./progress.ts";
import type { Questions } from "./questions.ts";
import { EXIT, SetupError } from "./setup-error.ts";

/** @throws SetupError when nobody is logged in, or can be asked */
export async function signIn(progress: Progress, questions: Questions): Promise<string> {
  const present = await storedToken();
  if (present !== null) return present;
  if (await questions.confirm("You are not logged in to Cloudflare. Open the browser now?")) {
    await logIn();
    const token = await storedToken();
    if (token !== null) return token;
  }
  progress.note("");
  throw new SetupError(
    "Nobody is logged in to Cloudflare: run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.",
    EXIT.questionOpen,
  );
}
