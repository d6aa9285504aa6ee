/** The account's plan, and what Premium adds. */
import { Badge, List, Text } from "@mantine/core";

import { figure, QR_REQUESTS_MAX_PER_MINUTE, REQUESTS_MAX_PER_MINUTE, STREAMS_MAX } from "../../../core/limits.ts";
import type { Account } from "../../api/account.ts";
import { SettingsCard } from "./settings-card.tsx";

const PREMIUM_FEATURES = [
  "Routing rules: send visitors on by country, device, language, time and more",
  `${figure(REQUESTS_MAX_PER_MINUTE.premium)} API requests a minute instead of ${REQUESTS_MAX_PER_MINUTE.free}`,
  `${QR_REQUESTS_MAX_PER_MINUTE.premium} QR codes a minute instead of ${QR_REQUESTS_MAX_PER_MINUTE.free}`,
  `${STREAMS_MAX.premium} open live streams for each key instead of ${STREAMS_MAX.free}`,
];

export function PlanCard({ plan }: { plan: Account["plan"] }) {
  const isPremium = plan === "premium";
  return (
    <SettingsCard
      title="Plan"
      action={
        <Badge size="lg" variant={isPremium ? "filled" : "default"} tt="none">
          {isPremium ? "Premium" : "Free"}
        </Badge>
      }
      description={
        isPremium
          ? "You have everything this service offers:"
          : "Short links, exact statistics, QR codes and the live stream are yours. Premium adds:"
      }
    >
      <List size="sm" spacing={4}>
        {PREMIUM_FEATURES.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      {!isPremium && (
        <Text size="sm" c="dimmed">
          Whoever runs this service changes plans. A change shows here at once.
        </Text>
      )}
    </SettingsCard>
  );
}
