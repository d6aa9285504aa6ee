/**
 * An installation whose upper half of buckets moves from `DB` to `LINKS_1`: two isolates know of the move, and one has
 * the setting that applies afterwards.
 */
import { tmpdir } from "node:os";

import { BUCKETS } from "../../src/core/links/buckets.ts";
import { settingAfterMove, settingDuringMove } from "../../src/store/directory/database-map.ts";
import { issueKeyText } from "../../src/store/accounts/api-keys.ts";
import { issueOperatorToken } from "../../src/store/operators/operator-tokens.ts";
import { newTestAccount } from "../support/accounts.ts";
import { ApiClient } from "../support/api-client.ts";
import { bundleModules } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts } from "../support/ports.ts";
import { bindingsOf, Workerd } from "../support/workerd.ts";

const MOVED = new Set(Array.from({ length: BUCKETS / 2 }, (_, i) => BUCKETS / 2 + i));
export const MOVED_RANGE = `${BUCKETS / 2}-${BUCKETS - 1}`;
const DURING = settingDuringMove(undefined, MOVED, "LINKS_1");
const SETTINGS = [DURING, DURING, settingAfterMove(DURING, MOVED)];
/** Index of the isolate that has the setting for afterwards. */
export const AFTERWARDS = 2;

const HOUR_MS = 3_600_000;
const RESTART_TIMEOUT_MS = 60_000;
const FIRST = "isolate-0";

export class MovingInstallation {
  readonly ports: readonly number[];
  /** The API of each isolate. */
  readonly apis: readonly ApiClient[];
  readonly operatorToken: string;
  readonly #workerd: Workerd;

  static async start(): Promise<MovingInstallation> {
    const ports = await freePorts(SETTINGS.length);
    const code = await bundleModules("src/worker.ts");
    const workers = ports.map((port, i) => ({
      name: `isolate-${i}`,
      code,
      port,
      ...bindingsOf(
        `127.0.0.1:${ports[0]}`,
        { DEV_VISITOR_HEADERS: "1", LINK_DATABASES: SETTINGS[i] ?? "" },
        i === 0 ? undefined : FIRST,
      ),
      d1Databases: { DB: "home", LINKS_1: "links-1" },
    }));
    const workerd = await Workerd.start(workers, { storageFolder: tmpdir(), keepLog: "workers" });
    const DB = await workerd.migratedDatabase(FIRST, ["DB", "LINKS_1"]);
    const { id } = await newTestAccount({ DB });
    const key = await issueKeyText({ DB }, id, "live", "moves");
    const token = await issueOperatorToken({ DB }, "backup", HOUR_MS, Date.now());
    return new MovingInstallation(workerd, ports, key, token);
  }

  private constructor(workerd: Workerd, ports: readonly number[], key: string, operatorToken: string) {
    this.#workerd = workerd;
    this.ports = ports;
    this.apis = ports.map((port) => new ApiClient(`http://127.0.0.1:${port}`, key));
    this.operatorToken = operatorToken;
  }

  get host(): string {
    return `127.0.0.1:${this.ports[0]}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** The ids of all links in a database, tombstones included. */
  async idsIn(binding: "DB" | "LINKS_1"): Promise<string[]> {
    const database = await this.#workerd.database(FIRST, binding);
    const { results } = await database.prepare("SELECT id FROM links").all<{ id: string }>();
    return results.map(({ id }) => id);
  }

  /** @returns once every isolate answers again */
  async kill(): Promise<void> {
    await this.#workerd.kill();
    for (const port of this.ports) {
      await eventually(
        async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))?.ok === true,
        "the server answers",
        RESTART_TIMEOUT_MS,
      );
    }
  }

  stop(): Promise<void> {
    return this.#workerd.stop();
  }
}
