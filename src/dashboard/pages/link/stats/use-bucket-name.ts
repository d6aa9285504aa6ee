/** Names of a grouping's keys. Those of regions are loaded with the first table that shows them. */
import { queryOptions, useQuery } from "@tanstack/react-query";

import { UNKNOWN_KEY } from "../../../../core/clicks/facts.ts";
import type { AccountGrouping } from "../../../../core/clicks/account-stats.ts";
import { countryName } from "../place-names.ts";
import { bucketName } from "./bucket-names.ts";

const subdivisionNamesQuery = queryOptions({
  queryKey: ["subdivision-names"],
  queryFn: async () => (await import("../subdivision-names.ts")).SUBDIVISION_NAMES,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
});

/** A name that is not loaded yet, or could not be, is the code. */
export function useBucketName(grouping: AccountGrouping): (key: string) => string {
  const { data: names } = useQuery({ ...subdivisionNamesQuery, enabled: grouping === "region" });
  return (key) => {
    const name = grouping === "region" && key !== UNKNOWN_KEY ? names?.get(key) : undefined;
    return name === undefined ? bucketName(grouping, key) : `${name}, ${countryName(key.slice(0, 2))}`;
  };
}
