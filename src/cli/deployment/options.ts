/** Options of `npm run setup`. */
import { parseArgs } from "node:util";

import { parseHosts } from "./domains.ts";
import { EXIT, SetupError } from "./setup-error.ts";

export const SETUP_USAGE = `Usage: npm run setup -- [options]

Deploys to Cloudflare, or repairs a deployment. Can be run again at any time.

  --domain HOST        serve on a host of your own, like go.example.com, in a zone of the account
  --test-domain HOST   a host of its own for test links; without it they are at HOST/t/...
  --override-dns       let these hosts lead here even if they lead elsewhere now
  --name NAME          name of the Worker, for a second installation in an account (hoplink)
  --database NAME      name of the D1 database
  --bucket NAME        name of the R2 bucket
  --workers-dev NAME   name of the account under workers.dev, where it has none yet
  --var NAME:VALUE     sets a variable of the deployment; may be repeated
  --yes                asks nothing, for CI
  --skip-build         deploys what \`npm run build\` has made already
  --json               progress goes to standard error; the last line of standard output is
                       {"url","setup_url","link"}

CLOUDFLARE_API_TOKEN stands in for \`wrangler login\`. It needs Workers Scripts, D1 and Workers R2 Storage (edit) and
Account Settings (read); for --domain also Workers Routes and DNS (edit) and Zone (read). CLOUDFLARE_ACCOUNT_ID chooses
between several accounts.

Exit codes: 0 done, 1 a step failed, 2 wrong options, 3 a question is open and nobody can be asked`;

const OPTIONS = {
  domain: { type: "string" },
  "test-domain": { type: "string" },
  "override-dns": { type: "boolean", default: false },
  name: { type: "string" },
  database: { type: "string" },
  bucket: { type: "string" },
  "workers-dev": { type: "string" },
  var: { type: "string", multiple: true, default: [] as string[] },
  yes: { type: "boolean", default: false },
  "skip-build": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const WORKER_NAME = /^[a-z0-9][a-z0-9-]{0,53}$/;

export type SetupOptions = NonNullable<ReturnType<typeof parseSetupOptions>>;

/** @returns null when help is wanted @throws SetupError */
export function parseSetupOptions(args: string[]) {
  const { values } = parseOrRefuse(args);
  if (values.help) return null;
  if (values.name !== undefined && !WORKER_NAME.test(values.name))
    throw new SetupError("--name must be 1 to 54 of a-z, 0-9 and -, and begin with a letter or digit.", EXIT.usage);
  return {
    ...values,
    hosts: parseHosts(values.domain, values["test-domain"]),
    variables: parseVariables(values.var),
  };
}

function parseOrRefuse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS });
  } catch (error) {
    throw new SetupError(`${error instanceof Error ? error.message : String(error)}\n\n${SETUP_USAGE}`, EXIT.usage);
  }
}

function parseVariables(texts: readonly string[]): Record<string, string> {
  const pairs = texts.map((text) => {
    const [, name, value] = /^([A-Z][A-Z0-9_]*):(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new SetupError(`--var ${text} must look like NAME:VALUE, as --var SIGNUPS:open.`, EXIT.usage);
    return [name, value] as const;
  });
  return Object.fromEntries(pairs);
}
