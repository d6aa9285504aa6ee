/**
 * The event log of an account and mode, in order of announcement, with the next position expected of each link. It
 * exists for one period: from the first subscriber until a day after the last one. At most a day or 100,000 events are
 * retained. Positions continue from period to period, so a cursor of an earlier period is always before the first
 * retained event.
 */
import { GenerationCache } from "../core/memory/caches.ts";
import {
  type Cursor,
  erasedEvent,
  eventPage,
  type LoggedEvent,
  packEvents,
  PAGE_EVENTS_MAX,
  RETAINED_EVENTS_MAX,
  RETENTION_MS,
  unpackEvents,
} from "../core/streams/event-log.ts";

import { hasTable, SCHEMA_VERSION } from "./schema.ts";

/** Size above which half of the events are removed: an object has 10 GB. Only links with very long rules reach it. */
const RETAINED_MAX_BYTES = 1024 ** 3;
/** Entries in each of two generations: an account may have a million links. */
const NEXT_POSITIONS_CACHE_MAX_ENTRIES = 5_000;
/** Events between two removals of old events: each removed row is billed. */
const TRIM_INTERVAL_EVENTS = 1_000;
/** Rows emptied per turn of the event loop; a row may have 480 KiB. */
const ERASE_ROWS_PER_TURN = 200;

type EventsRow = { position: number; count: number; events: string };

export class FeedLog {
  readonly name: string;
  readonly #sql: SqlStorage;
  #hasTables: boolean;
  /** Start of the current period, epoch ms; 0 between periods. */
  listenedSince = 0;
  /** When a client was last known to be connected, epoch ms. */
  lastListenedAt = 0;
  /** Position and time of the first retained event, and of the next event to be appended. */
  first: Cursor = { position: 0, at: 0 };
  end: Cursor = { position: 0, at: 0 };
  #trimmedAtPosition = 0;
  /** Cache of the table of links. */
  #nextPositions = new GenerationCache<number>(NEXT_POSITIONS_CACHE_MAX_ENTRIES);

  /** @param name  undefined when an alarm started the object: the name is then read from `period` */
  constructor(sql: SqlStorage, name: string | undefined) {
    this.#sql = sql;
    this.#hasTables = hasTable(sql, "period");
    const [period] = this.#hasTables
      ? sql.exec<{ name: string; since: number; start: number; heard_at: number }>("SELECT * FROM period")
      : [];
    this.name = name ?? period?.name ?? "";
    if (!period) return;
    this.listenedSince = period.since;
    this.lastListenedAt = period.heard_at;
    this.end = { position: period.start, at: period.since };
    const [last] = sql.exec<EventsRow>("SELECT * FROM events ORDER BY position DESC LIMIT 1");
    if (last) this.end = { position: last.position + last.count, at: unpackEvents(last.events).at(-1)?.at ?? 0 };
    this.first = this.#readFirstCursor();
  }

  /**
   * Makes positions begin at the current time in ms, after a restore from a backup, which has no feeds. The lost log
   * had fewer than one event per millisecond, so its cursors come before the first retained position.
   */
  beginPositionsAt(now: number): void {
    if (this.#hasTables) return;
    this.#createTables();
    this.end = this.first = { position: now, at: now };
    this.#storePeriod();
  }

  /** Starts a period when a client connects and none is open. */
  beginPeriod(now: number): void {
    if (!this.#hasTables) this.#createTables();
    this.listenedSince = now;
    this.lastListenedAt = now;
    this.end = { position: this.end.position + 1, at: now };
    this.first = this.end;
    this.#trimmedAtPosition = this.end.position;
    this.#storePeriod();
  }

  /** Extends the period while a client is connected. */
  renewPeriod(now: number): void {
    this.lastListenedAt = now;
    this.#storePeriod();
  }

  /** Removes all events and link positions. */
  endPeriod(): void {
    this.#sql.exec("DELETE FROM events");
    this.#sql.exec("DELETE FROM links");
    this.#nextPositions = new GenerationCache(NEXT_POSITIONS_CACHE_MAX_ENTRIES);
    this.listenedSince = 0;
    this.first = this.end;
    this.#storePeriod();
  }

  /** Position of the link's next event in its own log; null when it has announced none in this period. */
  nextPositionOf(linkId: string): number | null {
    const known = this.#nextPositions.get(linkId);
    if (known !== undefined) return known;
    const [row] = this.#sql.exec<{ next: number }>("SELECT next FROM links WHERE link = ?", linkId);
    if (row) this.#nextPositions.set(linkId, row.next);
    return row?.next ?? null;
  }

  /** Appends a link's events as one row. @param next  position of the following event in the link's own log */
  append(events: readonly LoggedEvent[], link: string, next: number, now: number): void {
    const { position } = this.end;
    this.#sql.exec(
      "INSERT INTO events (position, count, stored_at, link, events) VALUES (?, ?, ?, ?, ?)",
      position,
      events.length,
      now,
      link,
      packEvents(events),
    );
    this.#sql.exec("INSERT INTO links (link, next) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET next = ?2", link, next);
    this.#nextPositions.set(link, next);
    const at = (event: LoggedEvent | undefined) => event?.at ?? now;
    if (this.first.position === position) this.first = { position, at: at(events[0]) };
    this.end = { position: position + events.length, at: at(events.at(-1)) };
    if (this.end.position - this.#trimmedAtPosition >= TRIM_INTERVAL_EVENTS) this.trim(now);
  }

  /**
   * Empties some rows of a link, oldest first, and removes the link with the last row. Positions stay, since cursors
   * are positions.
   * @param from  position to begin at: 0, then the returned value
   * @returns null when nothing of the link is left
   */
  eraseSomeRows(link: string, from: number): number | null {
    if (!this.#hasTables || this.nextPositionOf(link) === null) return null;
    const rows = this.#sql
      .exec<{ position: number; count: number; stored_at: number }>(
        `SELECT position, count, stored_at FROM events WHERE position >= ? AND link = ?
         ORDER BY position LIMIT ${ERASE_ROWS_PER_TURN}`,
        from,
        link,
      )
      .toArray();
    for (const { position, count, stored_at } of rows) {
      const erased = packEvents(Array.from({ length: count }, () => erasedEvent(stored_at)));
      this.#sql.exec("UPDATE events SET link = '', events = ? WHERE position = ?", erased, position);
    }
    this.first = this.#readFirstCursor();
    const last = rows.length === ERASE_ROWS_PER_TURN ? rows.at(-1) : undefined;
    if (last) return last.position + 1;
    this.#sql.exec("DELETE FROM links WHERE link = ?", link);
    this.#nextPositions.delete(link);
    return null;
  }

  /** Removes events that exceed the limits of age and number. */
  trim(now: number): void {
    this.#trimmedAtPosition = this.end.position;
    const [oldestRetained] = this.#sql.exec<{ position: number }>(
      "SELECT position FROM events WHERE stored_at >= ? ORDER BY position LIMIT 1",
      now - RETENTION_MS,
    );
    const { first, end } = this;
    const isTooLarge = this.#sql.databaseSize > RETAINED_MAX_BYTES;
    const maxEvents = isTooLarge ? Math.floor((end.position - first.position) / 2) : RETAINED_EVENTS_MAX;
    const keepFrom = Math.max(oldestRetained?.position ?? end.position, end.position - maxEvents);
    if (keepFrom <= this.first.position) return;
    // Removes whole rows: the row that holds the event stays.
    const removed = this.#sql.exec("DELETE FROM events WHERE position < ?1 AND position + count <= ?1", keepFrom);
    if (removed.rowsWritten === 0) return;
    this.first = this.#readFirstCursor();
    // With no event left, only `period` records where the log ends. Otherwise a restarted object would reuse positions.
    if (this.first.position === this.end.position) this.#storePeriod();
  }

  page(from: number): LoggedEvent[] {
    return eventPage(this.#readEvents(from));
  }

  /** Reads whole rows until they hold a page of events. */
  *#readEvents(from: number): Generator<LoggedEvent> {
    const rows = this.#sql.exec<EventsRow>(
      `SELECT position, count, events FROM events WHERE position >= (
         SELECT max(position) FROM events WHERE position <= ?) ORDER BY position LIMIT ${PAGE_EVENTS_MAX}`,
      from,
    );
    for (const { position, events } of rows) yield* unpackEvents(events).slice(Math.max(from - position, 0));
  }

  #readFirstCursor(): Cursor {
    const [row] = this.#sql.exec<EventsRow>("SELECT * FROM events ORDER BY position LIMIT 1");
    return row ? { position: row.position, at: unpackEvents(row.events)[0]?.at ?? 0 } : this.end;
  }

  #storePeriod(): void {
    this.#sql.exec(
      `INSERT INTO period (id, name, since, start, heard_at, schema) VALUES (0, ?1, ?2, ?3, ?4, ?5)
       ON CONFLICT DO UPDATE SET since = ?2, start = ?3, heard_at = ?4`,
      this.name,
      this.listenedSince,
      this.end.position,
      this.lastListenedAt,
      SCHEMA_VERSION,
    );
  }

  #createTables(): void {
    this.#sql.exec(`
      CREATE TABLE period (
        id INTEGER PRIMARY KEY, -- always 0
        name TEXT NOT NULL, -- of the log
        since INTEGER NOT NULL, -- epoch ms, UTC; 0 between periods
        start INTEGER NOT NULL, -- position where the log ended when this row was written
        heard_at INTEGER NOT NULL, -- epoch ms, UTC: when a client was last known to be connected
        schema INTEGER NOT NULL -- of the object's tables (schema.ts)
      ) STRICT;
      CREATE TABLE events (
        position INTEGER PRIMARY KEY, -- of the first event
        count INTEGER NOT NULL,
        stored_at INTEGER NOT NULL, -- epoch ms, UTC
        link TEXT NOT NULL, -- whose events they are; '' once they are erased. No index: each written row is billed
        events TEXT NOT NULL -- core/streams/event-log.ts
      ) STRICT;
      CREATE TABLE links (
        link TEXT PRIMARY KEY,
        next INTEGER NOT NULL -- position in the link's own log of what it has to announce next
      ) STRICT, WITHOUT ROWID`);
    this.#hasTables = true;
  }
}
