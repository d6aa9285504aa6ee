/**
 * CPU of a first visit by isolate: the Worker's own, which determines how fast it answers, and that of the objects and
 * the database, which run elsewhere when deployed. Next to it the CPU of visits to links which the isolate has in its
 * cache. The objects run already, because the process starts an object within its first caller's call; that time is in
 * the CPU of the whole process (`cold`).
 */
import { pause } from "../support/eventually.ts";
import { type Figure, median } from "./figures.ts";
import { ownCpuMsOf } from "./inspector.ts";
import { runLoad } from "./load.ts";
import { type HoplinkServer, startHoplink } from "./server.ts";

const ROUNDS = 3;
const LINKS = 500;
/** Visits to each link while it is cached. */
const WARM_VISITS = 10;
const CONNECTIONS = 32;
/** Clicks are sent within a second of their replies. */
const SENT_MS = 1_500;
const ISOLATES = ["hoplink", "objects", "d1:db:entry", "d1:db"];

/** CPU of a visit, µs. */
interface VisitCpu {
  worker: number;
  objects: number;
  database: number;
}

export async function coldCpu(script: string): Promise<Figure[]> {
  const server = await startHoplink(script, { inspectorPort: 0, objectsApart: true });
  try {
    // Loading done by the first visits of all is not part of a visit's cost.
    await measureRound(server, "first");
    const measured: { cold: VisitCpu; warm: VisitCpu }[] = [];
    for (let round = 0; round < ROUNDS; round++) measured.push(await measureRound(server, `round-${round}`));
    const of = (value: (round: { cold: VisitCpu; warm: VisitCpu }) => number) => median(measured.map(value));
    return [
      { name: "cold visit, CPU of the Worker's isolate", value: of(({ cold }) => cold.worker), unit: "µs" },
      { name: "warm visit, CPU of the Worker's isolate", value: of(({ warm }) => warm.worker), unit: "µs" },
      {
        name: "cold visit, CPU of the Worker's isolate",
        value: of(({ cold, warm }) => cold.worker / warm.worker),
        unit: "of a warm one",
        target: "<= 3",
      },
      { name: "cold visit, CPU of the object's isolate", value: of(({ cold }) => cold.objects), unit: "µs" },
      { name: "cold visit, CPU of the database's isolates", value: of(({ cold }) => cold.database), unit: "µs" },
    ];
  } finally {
    await server.stop();
  }
}

async function measureRound(server: HoplinkServer, name: string): Promise<{ cold: VisitCpu; warm: VisitCpu }> {
  const slugs = Array.from({ length: LINKS }, (_, i) => `${name}-${i}`);
  const ids = await server.api.createLinks(slugs);
  for (const id of ids) await server.api.total({ id });
  const cold = await cpuOfVisits(server, slugs, LINKS);
  const warm = await cpuOfVisits(server, slugs, LINKS * WARM_VISITS);
  const counted = await server.api.totalOnceRecorded(ids, LINKS * (1 + WARM_VISITS));
  if (counted !== LINKS * (1 + WARM_VISITS)) throw new Error(`${counted} clicks counted`);
  return { cold, warm };
}

async function cpuOfVisits(server: HoplinkServer, slugs: readonly string[], visits: number): Promise<VisitCpu> {
  const paths = slugs.map((slug) => `/${slug}`);
  const [worker = NaN, objects = NaN, ...database] = await ownCpuMsOf(server, ISOLATES, async () => {
    await runLoad(server, { paths, connections: CONNECTIONS, until: { visits }, rate: null });
    await pause(SENT_MS);
  });
  const perVisit = (ms: number) => (1_000 * ms) / visits;
  const inDatabase = database.reduce((sum, ms) => sum + ms, 0);
  return { worker: perVisit(worker), objects: perVisit(objects), database: perVisit(inDatabase) };
}
