/** Offers case-sensitive slugs for a domain where the file has slugs that differ in case alone. */
import { Alert, Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { useApi } from "../../api/client.ts";
import { domainsQuery, useCaseSetting } from "../../api/domains.ts";
import { FormError } from "../../components/form.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { importTexts as texts } from "../../texts/import.ts";

export function CaseCollisions({ domain }: { domain: string }) {
  const { mode } = useApi();
  const { data: domains = [] } = useQuery(domainsQuery(mode));
  const change = useCaseSetting(domains.find((each) => each.domain === domain)?.id ?? "");
  return (
    <Alert color="yellow" title={texts.caseTitle(readableHost(domain))}>
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{texts.caseHint}</Text>
        <FormError error={change.error} />
        <Button size="xs" variant="default" loading={change.isPending} onClick={() => change.mutate(true)}>
          {texts.makeCaseSensitive}
        </Button>
      </Stack>
    </Alert>
  );
}
