/** SQL of the numbers that `link_counts` has of some links. Their aliases count as links. */

export const countedSql = (deletedAt: string, aliases: string) =>
  `sum((${deletedAt} IS NULL) + coalesce(json_array_length(${aliases}), 0))`;

/** Including removed ones. */
export const madeSql = (aliases: string, retired: string) =>
  `sum(1 + coalesce(json_array_length(${aliases}), 0) + coalesce(json_array_length(${retired}), 0))`;
