/** Offers the unsaved rules of an earlier visit, and says whether other rules were saved since. */
import { Alert, Button, Group, Stack, Text } from "@mantine/core";

import type { Link } from "../../../../core/contract/links.ts";
import { timestamp } from "../../../../core/timestamp.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { ruleTexts as texts } from "../../../texts/rules.ts";
import type { StoredDraft } from "./draft-storage.ts";

interface DraftOfferProps {
  offer: StoredDraft;
  current: Link;
  take: () => void;
  drop: () => void;
}

export function DraftOffer({ offer: { savedAt, rules, savedRules }, current, take, drop }: DraftOfferProps) {
  const isOutdated = JSON.stringify(savedRules) !== JSON.stringify(current.routing);
  return (
    <Alert variant="light" role="status" title={texts.offerTitle}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {texts.offer(rules.length, formatDateTime(timestamp(savedAt)))} {isOutdated && texts.offerOutdated}
        </Text>
        <Group gap="xs">
          <Button size="xs" onClick={take}>
            {texts.offerTake}
          </Button>
          <Button size="xs" variant="default" onClick={drop}>
            {texts.offerDrop}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
