/** All links of the account, as what statistics are about. */
import { useMemo } from "react";

import { useAccount } from "../../api/account.ts";
import type { StatsSubject } from "../link/stats/stats-subject.ts";

export function useAccountSubject(): StatsSubject {
  const createdAt = useAccount().data?.created_at;
  return useMemo(
    () => ({ kind: "account", createdAt: createdAt === undefined ? 0 : Date.parse(createdAt) }),
    [createdAt],
  );
}
