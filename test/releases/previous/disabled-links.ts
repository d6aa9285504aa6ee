/** How the release before the controls of visits reads `disabled_at`. */
export function isDisabled(disabledAt: number | null): boolean {
  return disabledAt !== null;
}

export function isDisabledSql(column: string): string {
  return `(${column} IS NOT NULL)`;
}
