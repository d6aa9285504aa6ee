/**
 * `hoplink login`, `logout`, `profiles` and `whoami`: store a working key, remove it, list stored profiles, show the
 * account and the permissions of the key.
 */
import type { Command } from "@commander-js/extra-typings";

import { figure } from "../../../core/limits.ts";
import type { Me } from "../../index.ts";
import { Failure, usageFailure } from "../errors.ts";
import { ask, askSecret, type Io, printList } from "../io.ts";
import {
  configFile,
  type Connection,
  hoplinkOf,
  noteUnencrypted,
  type Profile,
  profileName,
  readProfiles,
  serviceCommand,
  serviceUrl,
  withSession,
  writeProfiles,
} from "../session.ts";
import { type Column, tableLines, visibleText } from "../terminal-text.ts";

interface LoginOptions {
  url?: string | undefined;
  keyStdin?: true | undefined;
  profile?: string | undefined;
}

export function addLoginCommand(program: Command, io: Io): void {
  program
    .command("login")
    .description("Save the service's address and an API key from the dashboard (Settings, API keys)")
    .option("--url <URL>", "Address of the service, such as https://hop.example.com")
    .option("--key-stdin", "Read the key from stdin, for scripts")
    .option("--profile <NAME>", "Profile to save them in")
    .action((options) => logIn(io, options));
}

async function logIn(io: Io, options: LoginOptions): Promise<void> {
  const name = profileName(options.profile, io.env);
  const profile = { url: await readUrl(io, options), key: await readKey(io, options) };
  const me = await hoplinkOf(profile, io).me({ signal: io.signal });
  const path = configFile(io.env);
  await writeProfiles(path, new Map([...(await readProfiles(path)), [name, profile]]));
  const key = me.key ? ` with the key “${me.key.name}”` : "";
  await io.print(visibleText(`Signed in to ${profile.url}${key}: ${me.mode} links, ${me.plan} plan.`));
  io.note(`The key is saved in ${path}.`);
}

async function readUrl(io: Io, { url = io.env.HOPLINK_URL }: LoginOptions): Promise<string> {
  if (!url && !io.isInteractive)
    throw usageFailure("Cannot ask for the service's address without a terminal", "Add --url URL, or set HOPLINK_URL.");
  const chosen = serviceUrl(url || (await ask(io, "Address of the service: ")));
  noteUnencrypted({ url: chosen }, io);
  return chosen;
}

/** Not an option, because other users of the machine can see the command line. */
async function readKey(io: Io, { keyStdin }: LoginOptions): Promise<Profile["key"]> {
  if (!keyStdin && !io.isInteractive)
    throw usageFailure("Cannot ask for the key without a terminal", "Add --key-stdin < FILE.");
  const key = keyStdin ? (await io.readStdin()).trim() : await askSecret(io, "API key (input is hidden): ");
  if (!/^[\x21-\x7e]+$/.test(key)) throw usageFailure("Invalid API key", "API keys begin with svc_live_ or svc_test_.");
  return key;
}

export function addLogoutCommand(program: Command, io: Io): void {
  program
    .command("logout")
    .description("Remove a saved key, which stays valid until you revoke it in the dashboard")
    .option("--profile <NAME>", "Profile to remove")
    .action(async ({ profile }) => {
      const name = profileName(profile, io.env);
      const path = configFile(io.env);
      const profiles = new Map(await readProfiles(path));
      if (!profiles.delete(name)) throw new Failure(`Profile not found: ${name}`, "not_allowed");
      await writeProfiles(path, profiles);
      await io.print(`Signed out (profile ${name}).`);
    });
}

export function addProfilesCommand(program: Command, io: Io): void {
  program
    .command("profiles")
    .description("List the services and accounts that you are signed in to")
    .option("--json", "Print JSON, one value per line")
    .action(async ({ json }) => {
      const chosen = profileName(undefined, io.env);
      const profiles = [...(await readProfiles(configFile(io.env)))].map(([name, { url }]) => ({
        name,
        url,
        used: name === chosen,
      }));
      const columns: Column<(typeof profiles)[number]>[] = [
        { title: "", cell: ({ used }) => (used ? "*" : "") },
        { title: "PROFILE", cell: ({ name }) => name },
        { title: "ADDRESS", cell: ({ url }) => url },
      ];
      await printList(io, json, columns, profiles, "No profiles yet. To sign in, run: hoplink login");
    });
}

export function addWhoamiCommand(program: Command, io: Io): void {
  serviceCommand(program, "whoami", "Show the account, the key's scopes and the usage of the plan").action((options) =>
    withSession(io, options, async ({ hoplink, connection }) => {
      const me = await hoplink.me({ signal: io.signal });
      if (options.json) await io.printJson(me);
      else await io.print(...accountLines(me, connection), "", ...quotaLines(me));
    }),
  );
}

function accountLines({ account, plan, mode, scopes, key }: Me, { url, profile }: Connection): string[] {
  const facts = {
    Service: url,
    Profile: profile ?? "none (HOPLINK_API_KEY)",
    Account: account.id,
    Plan: plan,
    Key: key ? `${key.name} (${key.id}…${key.last_four})` : "",
    Links: mode,
    Scopes: scopes.join(", "),
  };
  return Object.entries(facts).map(([name, fact]) => `${name.padEnd(9)}${visibleText(fact)}`);
}

/** The limits that matter to people, as they would say them. */
const LIMIT_NAMES = {
  links: "links",
  links_created: "links ever created",
  keys: "API keys",
  domains: "domains",
  qr_codes: "QR codes",
  qr_image_bytes: "images of QR codes",
  social_image_bytes: "images of link previews",
  bulk_links_per_minute: "links imported or applied this minute",
  bulk_links_per_day: "links imported or applied today (UTC)",
} as const satisfies Partial<Record<keyof Me["limits"], string>>;

function quotaLines({ limits }: Me): string[] {
  const quotas = Object.keys(LIMIT_NAMES) as (keyof typeof LIMIT_NAMES)[];
  const shown = (name: (typeof quotas)[number], figureName: "used" | "max") =>
    (name.endsWith("_bytes") ? inMegabytes : figure)(limits[name][figureName]);
  return tableLines(
    [
      { title: "LIMIT", cell: (name) => LIMIT_NAMES[name] },
      { title: "USED", align: "right", cell: (name) => shown(name, "used") },
      { title: "MAX", align: "right", cell: (name) => shown(name, "max") },
    ],
    quotas,
  );
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}
