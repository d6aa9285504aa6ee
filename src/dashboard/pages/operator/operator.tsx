/** How the deployment does, for its operators. For everybody else there is no such page. */
import { Stack, Title } from "@mantine/core";

import type { OperatorOverview } from "../../../core/contract/operator.ts";
import { useAccount } from "../../api/account.ts";
import { CardTable } from "../../components/card-table.tsx";
import { TitledCard } from "../../components/card.tsx";
import { Page } from "../../components/page.tsx";
import { ListSkeleton, Loaded } from "../../components/states.tsx";
import { formatDateTime } from "../../formatting/dates.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { operatorDeploymentTexts as deploymentTexts, operatorTexts as texts } from "../../texts/operator.ts";
import NotFound from "../not-found.tsx";
import { HealthCard } from "./health-card.tsx";
import { FigureList, MetricsCard } from "./metrics-card.tsx";
import { useOverview } from "./use-operator.ts";

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

/** What the deployment is: its release, its accounts, and what waits to be done. */
function DeploymentCard() {
  return (
    <TitledCard title={deploymentTexts.title}>
      <Loaded query={useOverview()} skeleton={<ListSkeleton rows={4} height={40} />}>
        {(overview) => <Overview overview={overview} />}
      </Loaded>
    </TitledCard>
  );
}

function Overview({ overview }: { overview: OperatorOverview }) {
  const { release, signups, accounts, outbox, closing_accounts } = overview;
  return (
    <Stack gap="lg">
      <FigureList
        figures={[
          { name: deploymentTexts.release, value: release },
          { name: deploymentTexts.signups, value: signups === "open" ? deploymentTexts.open : deploymentTexts.closed },
          { name: deploymentTexts.accounts, value: boundedCount(accounts) },
          { name: deploymentTexts.outbox, value: boundedCount(outbox) },
          { name: deploymentTexts.closing, value: boundedCount(closing_accounts) },
        ]}
      />
      <div>
        <Title order={3} size="h5" mb="xs">
          {deploymentTexts.newest}
        </Title>
        <CardTable
          rows={accounts.newest}
          keyOf={({ id }) => id}
          columns={[
            { name: deploymentTexts.email, cell: ({ email }) => email },
            { name: deploymentTexts.plan, cell: ({ plan }) => deploymentTexts[plan] },
            { name: deploymentTexts.created, cell: ({ created_at }) => formatDateTime(created_at) },
          ]}
        />
      </div>
    </Stack>
  );
}

function boundedCount({ count, is_more }: { count: number; is_more: boolean }): string {
  return is_more ? deploymentTexts.moreThan(formatCount(count)) : formatCount(count);
}
