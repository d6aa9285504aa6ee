/**
 * Does what a plan says. Every request stands for itself, so that a run that was cut is finished by the next one: links
 * are created under the slugs of the file, which nobody can take twice, and changed only in the revision that the plan
 * has seen.
 */
import { BULK_LINKS_MAX } from "../../core/limits.ts";
import type { ErrorDetail } from "../api-types.ts";
import type { Hoplink } from "../index.ts";
import type { Address } from "./addresses.ts";
import { isSame, MEMBERS, memberOf } from "./members.ts";
import { type Change, changedMembers, type Creation, type CurrentLink, type Plan } from "./plan.ts";
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
  /** What was not begun, because it was stopped or an error ended it. */
  left: number;
  error?: unknown;
}

interface Progress {
  signal: AbortSignal;
  /** Called after each request. */
  onProgress: (done: number, all: number) => void;
}

type Result = { error: ErrorDetail } | object;

/** One request's worth of work. */
interface Step {
  kind: "created" | "changed" | "deleted";
  addresses: Address[];
  send: () => Promise<Result[]>;
}

/** @param progress  its signal lets the request in flight end, and begins no other */
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
  return [
    ...pieces(create).map((some) => step("created", some.map(addressOfItem), () => createSome(hoplink, some))),
    ...pieces(change).map((some) => step("changed", some.map(addressOfItem), () => changeSome(hoplink, some))),
    ...pieces(prunes ? missing : []).map((some) => step("deleted", some, () => deleteSome(hoplink, some))),
  ];
}

function step(kind: Step["kind"], addresses: Address[], send: Step["send"]): Step {
  return { kind, addresses, send };
}

function addressOfItem({ address }: { address: Address }): Address {
  return address;
}

function pieces<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / BULK_LINKS_MAX);
  return Array.from({ length: count }, (_, i) => items.slice(i * BULK_LINKS_MAX, (i + 1) * BULK_LINKS_MAX));
}

/** A slug that is taken may be that of a run before, whose answer nobody has read. */
async function createSome(hoplink: Hoplink, creations: readonly Creation[]): Promise<Result[]> {
  const results: Result[] = await hoplink.links.createMany(creations.map(({ link }) => link));
  for (const [i, creation] of creations.entries()) {
    const result = results[i];
    if (result && "error" in result && result.error.code === "slug_taken") {
      results[i] = await takenBy(hoplink, creation, result);
    }
  }
  return results;
}

async function takenBy(hoplink: Hoplink, { address, link }: Creation, taken: { error: ErrorDetail }): Promise<Result> {
  const [own] = await findLink(hoplink, address, { signal: new AbortController().signal });
  if (own && MEMBERS.every((member) => isSame(memberOf(own, member), link[member] ?? null))) return { link: own };
  const message = own
    ? "somebody created it after the plan was made: plan again"
    : "the slug is taken by another account, or was that of a deleted link";
  return { error: { ...taken.error, message } };
}

async function changeSome(hoplink: Hoplink, changes: readonly Change[]): Promise<Result[]> {
  const bodies = changes.map((change) => ({ ...reference(change.current), ...changedMembers(change) }));
  return (await hoplink.links.updateMany(bodies)).map(explained);
}

async function deleteSome(hoplink: Hoplink, links: readonly CurrentLink[]): Promise<Result[]> {
  return (await hoplink.links.deleteMany(links.map(reference))).map(explained);
}

function reference({ id, revision }: CurrentLink) {
  return { id, revision };
}

function explained(result: Result): Result {
  if (!("error" in result) || result.error.code !== "precondition_failed") return result;
  return { error: { ...result.error, message: "somebody changed it after the plan was made: plan again" } };
}
