/** Switch for case-sensitive slugs of a domain. The service refuses it once links were created. */
import { Switch } from "@mantine/core";

import type { Domain } from "../../../core/contract/domains.ts";
import { ApiError } from "../../api/api-error.ts";
import { useCaseSetting } from "../../api/domains.ts";
import { readableHost } from "../../formatting/hosts.ts";
import { notifyError, notifySuccess } from "../../notifications.ts";
import { domainTexts as texts } from "../../texts/settings.ts";

export function CaseSwitch({ domain: { id, domain, case_sensitive } }: { domain: Domain }) {
  const host = readableHost(domain);
  const change = useCaseSetting(id, {
    onSuccess: (changed) =>
      notifySuccess(changed.case_sensitive ? texts.caseSensitiveOn(host) : texts.caseSensitiveOff(host)),
    onError: (error) => {
      const hasLinks = error instanceof ApiError && error.status === 409;
      notifyError(texts.caseNotChanged, hasLinks ? new Error(texts.caseHasLinks) : error);
    },
  });
  return (
    <Switch
      label={texts.caseSensitive}
      description={texts.caseSensitiveHint}
      checked={change.isPending ? change.variables : case_sensitive === true}
      disabled={change.isPending}
      onChange={({ currentTarget }) => change.mutate(currentTarget.checked)}
    />
  );
}
