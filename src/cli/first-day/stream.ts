/** Follows a live stream until its key is revoked: its events, and how long it lasts after that. */
import { setTimeout as pause } from "node:timers/promises";

import { streamLimits } from "../../core/deployment/settings.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { issueKey, revokeKey } from "../../store/accounts/api-keys.ts";
import { clientOf, DESTINATION, type Measurement, type Measured, visit } from "./measures.ts";

/** Revokes the key in the middle of a connection, not when one would end anyway. */
const MINUTES = { free: 1.5, paid: 70 };
const VISIT_EVERY_MS = 15_000;
const REVOKED_WITHIN_S = 10;
/** Maximum wait for the stream to begin, to show its clicks, and to end. */
const WAITS_MAX_MS = 90_000;
const POLL_MS = 100;

export async function measureStream(measured: Measured): Promise<Measurement[]> {
  const { connection, rows, accountId, options, isFree, signal, dialog } = measured;
  const { lifetimeMs } = streamLimits(connection.deployed.variables);
  const minutes = options.streamMinutes ?? MINUTES[isFree ? "free" : "paid"];
  const { text, record } = await issueKey(rows, accountId, { mode: "live", name: "Stream", scopes: ["events:read"] });
  const link = await clientOf(measured).links.create({ url: DESTINATION }, { signal });
  const seen = { connections: 0, clicks: 0, endedAt: 0, refusal: null as unknown };
  const onReconnect = () => (seen.endedAt = performance.now());
  const follow = async () => {
    for await (const { type } of clientOf(measured, text).events.stream({ signal, onReconnect })) {
      if (type === "ready") seen.connections += 1;
      if (type === "click") seen.clicks += 1;
    }
  };
  void follow().catch((error: unknown) => (seen.refusal = error));
  const waitFor = async (what: string, holds: () => boolean) => {
    for (const end = performance.now() + WAITS_MAX_MS; !holds(); await pause(POLL_MS, undefined, { signal }))
      if (seen.refusal !== null || performance.now() > end)
        throw new Error(`the stream has not ${what}: ${String(seen.refusal ?? "no error")}`);
  };
  await waitFor("started", () => seen.connections > 0);

  let [visits, noted] = [0, performance.now()];
  const end = performance.now() + minutes * MINUTE_MS;
  do {
    if (await visit(measured, link)) visits += 1;
    await pause(Math.max(Math.min(VISIT_EVERY_MS, end - performance.now()), 0), undefined, { signal });
    if (performance.now() - noted < MINUTE_MS) continue;
    noted = performance.now();
    dialog.note(`    ${Math.ceil((end - noted) / MINUTE_MS)} minutes left: ${seen.clicks} of ${visits} clicks seen`);
    // Timers may fire a little early.
  } while (seen.refusal === null && performance.now() < end - POLL_MS);
  // Fewer clicks are a finding. A stream that has ended says nothing about its revocation.
  await waitFor("delivered all clicks", () => seen.clicks >= visits).catch(() => {});
  if (seen.refusal !== null) throw seen.refusal;

  const revokedAt = performance.now();
  await revokeKey(rows, record.id, accountId);
  await waitFor("ended", () => seen.refusal !== null);
  // Its lifetime may have ended just before.
  const seconds = Math.max(seen.endedAt - revokedAt, 0) / 1_000;
  return [
    [
      "Time until the stream of a revoked key ends",
      `${seconds.toFixed(1)} s`,
      `at most ${REVOKED_WITHIN_S} s`,
      seconds <= REVOKED_WITHIN_S,
    ],
    ["Clicks received by the stream", seen.clicks, visits],
    [`Connections in ${minutes} minutes`, seen.connections, Math.ceil((minutes * MINUTE_MS) / lifetimeMs)],
  ];
}
