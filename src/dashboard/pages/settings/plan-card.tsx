/** The plan, and what the other one would give. */
import { Badge, List, Text } from "@mantine/core";

import type { Account } from "../../api/account.ts";
import { SettingsCard } from "./settings-card.tsx";

const PREMIUM_FEATURES = [
  "Routing rules: send visitors on by country, device, language, time and more",
  "1,200 API requests a minute instead of 120",
  "300 QR codes a minute instead of 30",
  "20 open live streams for each key instead of 5",
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
