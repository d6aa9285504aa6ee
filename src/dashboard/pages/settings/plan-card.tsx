/** The account's plan, and what Premium adds. */
import { Badge, List, Text } from "@mantine/core";

import { figure, QR_REQUESTS_MAX_PER_MINUTE, REQUESTS_MAX_PER_MINUTE, STREAMS_MAX } from "../../../core/limits.ts";
import type { Account } from "../../api/account.ts";
import { planTexts as texts } from "../../texts/settings.ts";
import { SettingsCard } from "../../components/card.tsx";

const PREMIUM_FEATURES = [
  texts.rules,
  texts.requests(figure(REQUESTS_MAX_PER_MINUTE.premium), figure(REQUESTS_MAX_PER_MINUTE.free)),
  texts.qrCodes(figure(QR_REQUESTS_MAX_PER_MINUTE.premium), figure(QR_REQUESTS_MAX_PER_MINUTE.free)),
  texts.streams(figure(STREAMS_MAX.premium), figure(STREAMS_MAX.free)),
];

export function PlanCard({ plan }: { plan: Account["plan"] }) {
  const isPremium = plan === "premium";
  return (
    <SettingsCard
      title={texts.title}
      action={
        <Badge size="lg" variant={isPremium ? "filled" : "default"} tt="none">
          {texts.names[plan]}
        </Badge>
      }
      description={texts.hints[plan]}
    >
      <List size="sm" spacing={4}>
        {PREMIUM_FEATURES.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      {!isPremium && (
        <Text size="sm" c="dimmed">
          {texts.change}
        </Text>
      )}
    </SettingsCard>
  );
}
