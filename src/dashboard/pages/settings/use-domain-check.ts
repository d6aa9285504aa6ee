/** Has a domain's records checked again, and counts down the pause that the API asks for. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { useApi } from "../../api/client.ts";
import { checkDomain, domainsQuery } from "../../api/domains.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { notifyError } from "../../notifications.ts";
import { domainTexts } from "../../texts/settings.ts";

const SECOND_MS = 1_000;

export function useDomainCheck(id: string): { start: () => void; isChecking: boolean; waitSeconds: number } {
  const { mode } = useApi();
  const queries = useQueryClient();
  const [waitSeconds, setWaitSeconds] = useState(0);

  useEffect(() => {
    if (waitSeconds <= 0) return undefined;
    const timer = setTimeout(() => setWaitSeconds((seconds) => seconds - 1), SECOND_MS);
    return () => clearTimeout(timer);
  }, [waitSeconds]);

  const check = useSingleMutation({
    mutationFn: () => checkDomain(mode, id),
    onSuccess: ({ domain, waitSeconds: wait }) => {
      setWaitSeconds(wait ?? 0);
      queries.setQueryData(domainsQuery(mode).queryKey, (before) =>
        before?.map((known) => (known.id === id ? domain : known)),
      );
    },
    onError: (error) => notifyError(domainTexts.checkFailed, error),
  });
  return { start: () => check.mutate(), isChecking: check.isPending, waitSeconds };
}
