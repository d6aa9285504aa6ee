/** `hoplink profiles`: what is kept, without the keys. */
import type { Command } from "@commander-js/extra-typings";

import type { Io } from "../io.ts";
import { profileName } from "../profiles/chosen-connection.ts";
import { configFile, readProfiles } from "../profiles/config-file.ts";
import { tableLines } from "../terminal/table.ts";
import { visibleText } from "../terminal/visible-text.ts";

export function addProfilesCommand(program: Command, io: Io): void {
  program
    .command("profiles")
    .description("list the profiles that you are signed in as")
    .option("--json", "print JSON, one value a line")
    .action(async ({ json }) => {
      const chosen = profileName(undefined, io.env);
      const profiles = [...(await readProfiles(configFile(io.env)))].map(([name, { url }]) => ({
        name,
        url,
        used: name === chosen,
      }));
      if (json) for (const profile of profiles) await io.printJson(profile);
      else if (profiles.length === 0) io.note("No profiles yet. Sign in: hoplink login");
      else await printTable(io, profiles);
    });
}

async function printTable(io: Io, profiles: readonly { name: string; url: string; used: boolean }[]): Promise<void> {
  const rows = profiles.map(({ name, url, used }) => [used ? "*" : "", visibleText(name), visibleText(url)]);
  await io.print(...tableLines([{ title: "" }, { title: "PROFILE" }, { title: "ADDRESS" }], rows, io.width));
}
