/** The time on a wall clock, straight from Intl and without the code under test. */

const formats = new Map<string, Intl.DateTimeFormat>();

export interface WallClock {
  /** Like `2026-03-29`. */
  date: string;
  /** Like `02:30`. */
  clock: string;
  /** Like `Mon`. */
  weekday: string;
}

export function wallClockByIntl(zone: string, at: number): WallClock {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      calendar: "iso8601",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      weekday: "short",
    });
    formats.set(zone, format);
  }
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    date: `${part.year}-${part.month}-${part.day}`,
    clock: `${part.hour}:${part.minute}`,
    weekday: part.weekday ?? "",
  };
}
