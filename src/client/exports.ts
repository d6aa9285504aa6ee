const MEDIA_TYPES = { csv: "text/csv", ndjson: "application/x-ndjson" } as const;

/** The `Accept` that asks for a file of clicks. */
export function exportFormat(format: keyof typeof MEDIA_TYPES): string {
  return MEDIA_TYPES[format];
}
