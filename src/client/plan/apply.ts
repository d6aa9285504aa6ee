/**
 * Applies a plan. Every request is independent, so the next run completes an interrupted one. Links are created under
 * the slugs of the file, which can be taken only once. They are changed only in the revision that the plan was based
 * on.
 */
import { piecesOf } from "../../core/links/bulk-pieces.ts";
import type { CreateLink, ErrorDetail } from "../api-types.ts";
import type { Hoplink } from "../index.ts";
import type { Address } from "./addresses.ts";
import { isSame, MEMBERS, memberOf } from "./links-file.ts";
import { toUpdateLink, type CurrentLink, type Plan } from "./plan.ts";
import { findLink } from "./situation.ts";

interface Refusal {
  address: Address;
  code: string;
  message: string;
}

export interface Applied {
  created: number;
  changed: number;
  deleted: number;
  refused: Refusal[];
  /** Number of items not begun, because the run was stopped or an error ended it. */
  left: number;
  error?: unknown;
}

interface Progress {
  signal: AbortSignal;
  /** Called after each request. */
  onProgress: (done: number, all: number) => void;
}

type Result = { error: ErrorDetail } | object;

interface Item<Body> {
  address: Address;
  body: Body;
}

/** The work of one request. Its results are reported even if the next request fails. */
interface Step {
  kind: "created" | "changed" | "deleted";
  addresses: Address[];
  send: () => Promise<Result[]>;
}

/** @param progress  its signal lets the request in flight finish, and starts no other */
export async function applyPlan(hoplink: Hoplink, plan: Plan, { signal, onProgress }: Progress): Promise<Applied> {
  const steps = stepsOf(hoplink, plan);
  const all = steps.reduce((sum, { addresses }) => sum + addresses.length, 0);
  const applied: Applied = { created: 0, changed: 0, deleted: 0, refused: [], left: all };
  try {
    for (const step of steps) {
      if (signal.aborted) break;
      await takeStep(step, applied);
      onProgress(all - applied.left, all);
    }
  } catch (error) {
    applied.error = error;
  }
  return applied;
}

async function takeStep({ kind, addresses, send }: Step, applied: Applied): Promise<void> {
  for (const [i, result] of (await send()).entries()) {
    const address = addresses[i];
    applied.left--;
    if (!("error" in result)) applied[kind]++;
    else if (address) applied.refused.push({ address, code: result.error.code, message: result.error.message });
  }
}

function stepsOf(hoplink: Hoplink, { create, change, missing, prunes }: Plan): Step[] {
  const creations = create.map(({ address, link }) => ({ address, body: link }));
  const changes = change.map((one) => ({
    address: one.address,
    body: { ...reference(one.current), ...toUpdateLink(one) },
  }));
  const deletions = (prunes ? missing : []).map((link) => ({ address: link, body: reference(link) }));
  return [
    ...steps("created", creations, (some) => createSome(hoplink, some)),
    ...steps("changed", changes, async (some) => (await hoplink.links.updateMany(some.map(bodyOf))).map(explained)),
    ...steps("deleted", deletions, async (some) => (await hoplink.links.deleteMany(some.map(bodyOf))).map(explained)),
  ];
}

function steps<Body>(
  kind: Step["kind"],
  items: readonly Item<Body>[],
  send: (some: readonly Item<Body>[]) => Promise<Result[]>,
): Step[] {
  return piecesOf(items, bodyOf).map((some) => ({
    kind,
    addresses: some.map(({ address }) => address),
    send: () => send(some),
  }));
}

function bodyOf<Body>({ body }: Item<Body>): Body {
  return body;
}

/** A taken slug may belong to the link of an earlier run whose response was lost. */
async function createSome(hoplink: Hoplink, creations: readonly Item<CreateLink>[]): Promise<Result[]> {
  const results: Result[] = await hoplink.links.createMany(creations.map(bodyOf));
  for (const [i, creation] of creations.entries()) {
    const result = results[i];
    if (result && "error" in result && result.error.code === "slug_taken") {
      results[i] = await takenBy(hoplink, creation, result);
    }
  }
  return results;
}

async function takenBy(
  hoplink: Hoplink,
  { address, body }: Item<CreateLink>,
  taken: { error: ErrorDetail },
): Promise<Result> {
  const found = await findLink(hoplink, address, { signal: new AbortController().signal }).catch(() => null);
  // The request's results for the other links are still reported.
  if (!found) return taken;
  const [own] = found;
  if (own && MEMBERS.every((member) => isSame(memberOf(own, member), memberOf(body, member)))) return { link: own };
  const message = own
    ? "the link was created after this plan: plan again"
    : "the slug belongs to another account or a deleted link: choose another slug";
  return { error: { ...taken.error, message } };
}

function reference({ id, revision }: CurrentLink) {
  return { id, revision };
}

const SINCE_THE_PLAN: Readonly<Record<string, string>> = {
  precondition_failed: "the link was changed after this plan: plan again",
  link_not_found: "the link was deleted after this plan: plan again",
};

function explained(result: Result): Result {
  if (!("error" in result)) return result;
  const { error } = result;
  return { error: { ...error, message: SINCE_THE_PLAN[error.code] ?? error.message } };
}
