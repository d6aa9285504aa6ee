/** `hoplink logout`: forgets a key. */
import type { Command } from "@commander-js/extra-typings";

import { Failure } from "../failure.ts";
import type { Io } from "../io.ts";
import { profileName } from "../profiles/chosen-connection.ts";
import { configFile, readProfiles, writeProfiles } from "../profiles/config-file.ts";

export function addLogoutCommand(program: Command, io: Io): void {
  program
    .command("logout")
    .description("forget the key of a profile; it stays valid until it is revoked in the dashboard")
    .option("--profile <NAME>", "of this profile")
    .action(async ({ profile }) => {
      const name = profileName(profile, io.env);
      const path = configFile(io.env);
      const profiles = new Map(await readProfiles(path));
      if (!profiles.delete(name)) throw new Failure(`There is no profile ${name}`, "not_allowed");
      await writeProfiles(path, profiles);
      await io.print(`Signed out (profile ${name}).`);
    });
}
