/** Rows that the statements of all objects in an isolate read and write: these are billed. */
export interface RowMeter {
  /** Adds the rows of all statements since the last call. */
  addTo(sums: { rowsRead: number; rowsWritten: number }): void;
}

/** @param sql  of any object: all have one prototype */
export function meterRows(sql: SqlStorage): RowMeter {
  let cursors: ReturnType<SqlStorage["exec"]>[] = [];
  const prototype = Object.getPrototypeOf(sql) as SqlStorage;
  const exec = prototype.exec;
  prototype.exec = function counted<T extends Record<string, SqlStorageValue>>(...statement: [string, ...unknown[]]) {
    const cursor = exec.apply(this, statement) as SqlStorageCursor<T>;
    cursors.push(cursor);
    return cursor;
  };
  return {
    addTo(sums) {
      for (const { rowsRead, rowsWritten } of cursors) {
        sums.rowsRead += rowsRead;
        sums.rowsWritten += rowsWritten;
      }
      cursors = [];
    },
  };
}
