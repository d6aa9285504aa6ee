import type { Io } from "../io.ts";
import type { FoundLink } from "./find-link.ts";
import { linkLines } from "./link-text.ts";

/** As JSON with its revision, which `links update --if-revision` takes. */
export async function printLink(io: Io, found: FoundLink, asJson: boolean | undefined): Promise<void> {
  if (asJson) await io.printJson({ ...found.link, revision: found.revision });
  else await io.print(...linkLines(found, io.colors));
}
