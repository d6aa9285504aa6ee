/** Queries `usage-worker.ts` for its billed usage. */
import type { Server } from "./server.ts";
import type { BilledUsage } from "./usage-worker.ts";

/** The usage of some work. */
export async function usageOf({ url }: Server, work: () => Promise<void>): Promise<BilledUsage> {
  const asked = async () => (await (await fetch(`${url}/.usage`)).json()) as BilledUsage;
  await asked();
  await work();
  return asked();
}
