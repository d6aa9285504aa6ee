/**
 * Reads a link's click log for the API's lists and for the events of streams. The keys of a click's rule and
 * destination come from the revision under which it was recorded. Writes nothing.
 */
import { classAt, valueAt } from "../core/clicks/encoding/click-batch.ts";
import { mapFacts } from "../core/clicks/facts.ts";
import type { ListedClick } from "../core/clicks/protocol/link-object-rpc.ts";
import type { ScannedClicks } from "../core/clicks/counting/scanned-clicks.ts";
import { clickEvent } from "../core/clicks/protocol/wire-click.ts";
import { hostsOfLink } from "../core/deployment/settings.ts";
import { shortAddress } from "../core/hosts.ts";
import type { LinkKeys, RouteKeysLookup } from "../core/clicks/counting/groupings.ts";
import { routeKeys } from "../core/links/link-snapshot.ts";
import { type Cursor, eventPage, type LoggedEvent, loggedEvent, PAGE_EVENTS_MAX } from "../core/streams/event-log.ts";
import type { ClickLog } from "./click-log.ts";
import type { JoinedLog } from "./joined-log.ts";
import type { Revisions } from "./link-state.ts";
import type { EventLog } from "./subscribers.ts";

export class ClickReader implements EventLog, LinkKeys {
  readonly #env: Env;
  /** The recorded clicks, which alone have events. */
  readonly #recorded: ClickLog;
  readonly #log: () => JoinedLog;
  readonly #revisions: Revisions;
  readonly #isRestored: boolean;

  /**
   * @param log  returns the whole log
   * @param isRestored  whether the log comes from a backup
   */
  constructor(env: Env, recorded: ClickLog, log: () => JoinedLog, revisions: Revisions, isRestored: boolean) {
    this.#env = env;
    this.#recorded = recorded;
    this.#log = log;
    this.#revisions = revisions;
    this.#isRestored = isRestored;
  }

  get log(): JoinedLog {
    return this.#log();
  }

  /** The positions `[first, end)` of the clicks after a sequence number and within a time range. */
  positionsOf(after: number, from: number | null, to: number | null): { first: number; end: number } {
    const first = Math.max(this.log.positionAfter(after), from === null ? 0 : this.log.positionAt(from));
    return { first, end: to === null ? this.log.count : this.log.positionAt(to) };
  }

  /** Looks up the keys of a stored route, `<revision>.<rule>`. */
  readonly routeKeysOf: RouteKeysLookup = (route) => {
    const dot = route.indexOf(".");
    const snapshot = this.#revisions.get(Number(route.slice(0, dot)));
    return snapshot && routeKeys(snapshot, route.slice(dot + 1));
  };

  get address(): string {
    const link = this.#revisions.newest;
    return link ? shortAddress(link) : "";
  }

  get name(): string {
    return this.#revisions.newest?.id ?? "";
  }

  get first(): Cursor {
    return { position: 0, at: 0 };
  }

  get end(): Cursor {
    return { position: this.#recorded.count, at: this.#recorded.lastAt };
  }

  /**
   * In a restored log, positions after the end of the backup are assigned again. A cursor that does not match the log
   * maps to the first click after its time.
   */
  placeOf(cursor: Cursor): Cursor {
    if (!this.#isRestored || cursor.position === 0) return cursor;
    const log = this.#recorded;
    const fits = cursor.position <= log.count && log.timeAt(cursor.position - 1) === cursor.at;
    return fits ? cursor : { position: log.positionAt(cursor.at + 1), at: cursor.at };
  }

  page(from: number): LoggedEvent[] {
    return eventPage(this.#readEvents(from, Math.min(from + PAGE_EVENTS_MAX, this.#recorded.count)));
  }

  *#readEvents(from: number, to: number): Generator<LoggedEvent> {
    const link = this.#revisions.newest;
    if (!link) return;
    const hosts = hostsOfLink(this.#env, link.domain);
    let position = from;
    for (const clicks of this.#recorded.parts(from, to)) {
      const listed = this.lister(clicks, this.log.imported.count + position - clicks.from);
      for (let i = clicks.from; i < clicks.to; i++) {
        const click = listed(i);
        yield loggedEvent(click.at, click.class === "human", clickEvent(link, click, hosts), link.origin);
      }
      position += clicks.to - clicks.from;
    }
  }

  /** Returns a function that lists a click by its index. @param offset  position of the click with index 0 */
  lister(clicks: ScannedClicks, offset: number): (i: number) => ListedClick {
    const times = clicks.times();
    const { log } = this;
    const columns = { class: clicks.column("class"), route: clicks.column("route"), qr: clicks.column("qr") };
    const imported = clicks.column("imported");
    const aliases = clicks.column("address");
    const { address } = this;
    return (i) => {
      const route = valueAt(columns.route, i);
      const keys = this.routeKeysOf(route);
      return {
        position: log.seqBefore(offset + i + 1) - 1,
        at: times[i] ?? 0,
        class: classAt(columns.class, i),
        revision: Number.parseInt(route, 10),
        ...mapFacts((fact) => valueAt(clicks.column(fact), i)),
        qr: valueAt(columns.qr, i),
        address: valueAt(aliases, i) || address,
        rule: keys?.rule ?? "",
        destination: keys?.destination ?? "",
        imported: valueAt(imported, i) !== "",
      };
    };
  }
}
