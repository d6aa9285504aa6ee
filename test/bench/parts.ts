/** The parts of the benchmark, in the order in which they run. Each is loaded when it is run. */
import type { Figure } from "./figures.ts";

type Part = (script: string) => Promise<Figure[]>;

export const PARTS: Record<string, () => Promise<Part>> = {
  hot: async () => (await import("./hot.ts")).hot,
  spread: async () => (await import("./many-links.ts")).spread,
  cold: async () => (await import("./many-links.ts")).cold,
  miss: async () => (await import("./many-links.ts")).miss,
  guesses: async () => (await import("./guesses.ts")).guesses,
  stats: async () => (await import("./stats.ts")).stats,
  filters: async () => (await import("./filters.ts")).filters,
  backtest: async () => (await import("./backtest.ts")).backtest,
  account: async () => (await import("./account.ts")).account,
  bytes: async () => (await import("./bytes.ts")).bytes,
  rows: async () => (await import("./rows.ts")).rows,
  database: async () => (await import("./database.ts")).database,
  reads: async () => (await import("./reads.ts")).reads,
  senders: async () => (await import("./senders.ts")).senders,
  erase: async () => (await import("./erase.ts")).erase,
  growth: async () => (await import("./growth.ts")).growth,
  memory: async () => (await import("./memory.ts")).memory,
  exports: async () => (await import("./exports.ts")).exports,
  soak: async () => (await import("./soak.ts")).soak,
  qr: async () => (await import("./qr.ts")).qr,
  worst: async () => (await import("./worst.ts")).worst,
  startup: async () => (await import("./startup.ts")).startup,
  stream: async () => (await import("./stream.ts")).stream,
  free: async () => (await import("./free.ts")).free,
  paint: async () => (await import("./paint.ts")).paint,
  interactions: async () => (await import("./interactions.ts")).interactions,
};
