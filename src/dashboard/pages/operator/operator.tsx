/** How the deployment does, for its operators. For everybody else there is no such page. */
import { Stack } from "@mantine/core";

import { useAccount } from "../../api/account.ts";
import { Page } from "../../components/page.tsx";
import { operatorTexts as texts } from "../../texts/operator.ts";
import NotFound from "../not-found.tsx";
import { DeploymentCard } from "./deployment-card.tsx";
import { HealthCard } from "./health-card.tsx";
import { MetricsCard } from "./metrics-card.tsx";

export default function Operator() {
  const { data: account } = useAccount();
  if (!account?.is_operator) return <NotFound />;
  return (
    <Page title={texts.title} description={texts.description}>
      <Stack gap="lg">
        <HealthCard />
        <MetricsCard />
        <DeploymentCard />
      </Stack>
    </Page>
  );
}
