/** The operator's commands on the databases of links: `admin links databases …`. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";

import { LinkDatabasesReport, MoveOutcome } from "../../core/contract/link-databases.ts";
import { BUCKETS } from "../../core/links/buckets.ts";
import { settingAfterMove } from "../../store/directory/database-map.ts";
import type { OperatorApi } from "../backup/operator-api.ts";
import type { Report } from "../report.ts";
import { type Target, URL_OPTION } from "./target.ts";

const PATH = "/link-databases";

interface BucketRange {
  first: number;
  last: number;
}

export function addLinkDatabaseCommands(link: Command, target: Target): void {
  const databases = link
    .command("databases")
    .description("the databases of links: their buckets, links and bytes")
    .option(...URL_OPTION)
    .action(({ url }) => withApi(target, url, reportDatabases));
  databases
    .command("move")
    .description("moves the links of some buckets to another database, while they are used; run again, it goes on")
    .requiredOption("--buckets <FIRST-LAST>", `0 to ${BUCKETS - 1}`, rangeOption)
    .requiredOption("--to <DATABASE>", "binding of the database, such as LINKS_1")
    // The option of the command above takes `--url` wherever it stands.
    .action(({ buckets, to }) =>
      withApi(target, databases.opts().url, (api) => moveBuckets(api, buckets, to, target.console.error)),
    );
}

/** wrangler, which it imports, takes seconds to load: wrong options are told at once. */
async function withApi(target: Target, url: string | undefined, work: (api: OperatorApi) => Promise<Report>) {
  const { withDeployment } = await import("../backup/deployment.ts");
  target.print(await withDeployment(target.deployment(url), false, ({ api }) => work(api)));
}

function rangeOption(text: string): BucketRange {
  const [, first = "", last = first] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (first !== "" && range.first <= range.last && range.last < BUCKETS) return range;
  throw new InvalidArgumentError(`Write a range from 0 to ${BUCKETS - 1}, such as 512-1023.`);
}

async function reportDatabases(api: OperatorApi): Promise<Report> {
  const { setting, databases } = await api.get(LinkDatabasesReport, PATH);
  const ranges = JSON.parse(setting) as Record<string, string>;
  return {
    data: databases.map(({ name, links, made, bytes }) => ({
      database: name,
      buckets: ranges[name] ?? "",
      links,
      made,
      megabytes: (bytes / 1e6).toFixed(1),
    })),
  };
}

async function moveBuckets(
  api: OperatorApi,
  { first, last }: BucketRange,
  to: string,
  report: (line: string) => void,
): Promise<Report> {
  const { databases } = await api.get(LinkDatabasesReport, PATH);
  const all = databases.reduce((sum, { made }) => sum + made, 0);
  let [moved, scanned] = [0, 0];
  for (let after: unknown = null; ;) {
    const step: MoveOutcome = await api.post(MoveOutcome, `${PATH}/moves`, { first, last, to, after });
    if (step.outcome === "refused") throw new Error(step.message);
    [moved, scanned] = [moved + step.moved, scanned + step.scanned];
    report(`${moved} links moved, ${scanned} of at most ${all} looked at`);
    ({ after } = step);
    if (after === null) break;
  }
  const { setting } = await api.get(LinkDatabasesReport, PATH);
  const buckets = new Set(Array.from({ length: last - first + 1 }, (_, i) => first + i));
  return { moved: String(moved), to, next: `Deploy with LINK_DATABASES = ${settingAfterMove(setting, buckets)}` };
}
