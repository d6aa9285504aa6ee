/** `hoplink pull`: writes the account's links to the file. */
import { addressKey, addressOf } from "../../plan/addresses.ts";
import { hasTag } from "../../plan/members.ts";
import { caseSensitiveDomains, type CurrentLink, type Situation } from "../../plan/plan.ts";
import { linksText } from "../../plan/plan-text.ts";
import { readSituation } from "../../plan/situation.ts";
import { newLinksFile, updatedLinksFile } from "../../plan/written-file.ts";
import { EXIT_CODES } from "../errors.ts";
import { modeOf, readTextIfThere, replaceFile } from "../files.ts";
import type { Session } from "../session.ts";
import { type FileOnDisk, readLinksFile } from "./plan.ts";

/** Mode of a new file: anyone with access to the folder may read it. */
const FILE_MODE = 0o644;

interface PullOptions {
  tag?: string | undefined;
  all?: true | undefined;
  json?: true | undefined;
}

export async function runPull(session: Session, fileName: string, options: PullOptions): Promise<number> {
  const { io, hoplink, connection } = session;
  const file = (await readTextIfThere(fileName)) === null ? null : await readLinksFile(io, fileName);
  const tag = options.tag ?? (options.all ? undefined : file?.file.managed_by);
  const about = { domain: file?.file.domain, managed_by: tag, links: file?.file.links ?? [] };
  const situation = await readSituation(hoplink, about, { signal: io.signal, everything: tag === undefined });
  const links = wantedLinks(situation, file, tag);
  const caseSensitive = caseSensitiveDomains(situation);
  const source = { links, caseSensitive, defaultDomain: situation.defaultDomain };
  const schemaUrl = `${connection.url}/docs/links.schema.json`;
  const text = file ? updatedLinksFile(file.text, file, source) : newLinksFile(source, schemaUrl);
  const isNew = text !== file?.text;
  if (isNew) await replaceFile(fileName, text, await modeOf(fileName, FILE_MODE));
  if (options.json) await io.printJson({ file: fileName, links: links.length, changed: isNew });
  else if (isNew) await io.print(`Wrote ${linksText(links.length)} to ${fileName}.`);
  else await io.print(`${fileName} is up to date (${linksText(links.length)}).`);
  return EXIT_CODES.ok.code;
}

/** The links with the tag, or all without one; and those that are already in the file. */
function wantedLinks(situation: Situation, file: FileOnDisk | null, tag: string | undefined): readonly CurrentLink[] {
  if (tag === undefined) return situation.links;
  const caseSensitive = caseSensitiveDomains(situation);
  const own = new Set(
    file?.file.links.map((link) =>
      addressKey(addressOf(link, file.file.domain, situation.defaultDomain), caseSensitive),
    ),
  );
  return situation.links.filter((link) => hasTag(link.tags, tag) || own.has(addressKey(link, caseSensitive)));
}
