/** How `disabled_at` is read: a restricted link has 0, and is not disabled (schema.sql). */

export function isDisabled(disabledAt: number | null): boolean {
  return (disabledAt ?? 0) !== 0;
}

/** @param column  SQL of the value */
export function isDisabledSql(column: string): string {
  return `(coalesce(${column}, 0) <> 0)`;
}
