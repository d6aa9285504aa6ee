/** Asks `usage-worker.ts` what it was billed for. */
import type { Server } from "./server.ts";
import type { BilledUsage } from "./usage-worker.ts";

/** Of some work. */
export async function usageOf({ url }: Server, work: () => Promise<void>): Promise<BilledUsage> {
  const asked = async () => (await (await fetch(`${url}/.usage`)).json()) as BilledUsage;
  await asked();
  await work();
  return asked();
}
