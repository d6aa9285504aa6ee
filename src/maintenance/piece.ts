/** One piece of maintenance: some of each kind of work, so that none waits for another. */
import { wakeMaintenance } from "../store/maintenance.ts";
import { deliverDue, nextDeliveryAt } from "../store/outbox.ts";

export interface Piece {
  /** Where the next round of deliveries goes on. */
  cursor: string;
  /** When the next piece is due, epoch ms; null when nothing waits. */
  next: number | null;
}

/** Every step may be done twice, and a piece that is cut off is begun again. */
export async function runPiece(env: Env, cursor: string): Promise<Piece> {
  const limit = Number(env.MAINTENANCE_CALLS);
  const delivered = await deliverDue(env, cursor, limit);
  const isWholeRound = cursor === "" && delivered.cursor === "";
  const next = isWholeRound && delivered.calls === 0 ? await nextWorkAt(env) : Date.now();
  return { cursor: delivered.cursor, next };
}

/** The cron job's part: the object may not have been woken, and an operator's command cannot wake it. */
export async function lookForWork(env: Env): Promise<void> {
  const at = await nextWorkAt(env);
  if (at !== null && at <= Date.now()) await wakeMaintenance(env, at);
}

/** When work is due, epoch ms; null when none waits. */
function nextWorkAt(env: Env): Promise<number | null> {
  return nextDeliveryAt(env);
}
