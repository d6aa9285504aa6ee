/** `hoplink login`: keeps a key that works. */
import type { Command } from "@commander-js/extra-typings";

import { usageFailure } from "../failure.ts";
import type { Io } from "../io.ts";
import { isUnencrypted, profileName, serviceUrl } from "../profiles/chosen-connection.ts";
import { configFile, type Profile, readProfiles, writeProfiles } from "../profiles/config-file.ts";
import { hoplinkOf } from "../session.ts";
import { ask, askSecret } from "../terminal/questions.ts";
import { visibleText } from "../terminal/visible-text.ts";

interface LoginOptions {
  url?: string | undefined;
  keyStdin?: true | undefined;
  profile?: string | undefined;
}

export function addLoginCommand(program: Command, io: Io): void {
  program
    .command("login")
    .description("keep the service's address and an API key, made in the dashboard under Settings, API keys")
    .option("--url <URL>", "the service's address, as https://hop.example.com")
    .option("--key-stdin", "read the key from stdin, for scripts")
    .option("--profile <NAME>", "keep them under this name, beside others")
    .action((options) => logIn(io, options));
}

async function logIn(io: Io, options: LoginOptions): Promise<void> {
  const name = profileName(options.profile, io.env);
  const profile = { url: await readUrl(io, options), key: await readKey(io, options) };
  const me = await hoplinkOf(profile, io).me({ signal: io.signal });
  const path = configFile(io.env);
  await writeProfiles(path, new Map([...(await readProfiles(path)), [name, profile]]));
  const key = me.key ? ` with the key “${visibleText(me.key.name)}”` : "";
  await io.print(`Signed in to ${profile.url}${key}: ${me.mode} links, ${me.plan} plan.`);
  io.note(`The key is kept in ${path}.`);
}

async function readUrl(io: Io, { url = io.env.HOPLINK_URL }: LoginOptions): Promise<string> {
  if (!url && !io.isInteractive) throw usageFailure("Nobody can be asked for the address", "Give it: --url URL");
  const chosen = serviceUrl(url || (await ask(io, "Address of the service: ")));
  if (isUnencrypted(chosen)) io.note(`The key goes to ${chosen} without encryption. Use https:// where you can.`);
  return chosen;
}

/** Not an option: others on the machine can see the command line. */
async function readKey(io: Io, { keyStdin }: LoginOptions): Promise<Profile["key"]> {
  if (!keyStdin && !io.isInteractive)
    throw usageFailure("Nobody can be asked for the key", "Pass it: --key-stdin < FILE");
  const key = keyStdin ? (await io.readStdin()).trim() : await askSecret(io, "API key (it is not shown): ");
  if (!/^[\x21-\x7e]+$/.test(key)) throw usageFailure("That is no API key", "It begins with svc_live_ or svc_test_.");
  return key;
}
