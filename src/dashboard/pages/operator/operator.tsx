/** How the deployment does, for its operators. For everybody else there is no such page. */
import { Stack, Table, Text, Title } from "@mantine/core";

import type { OperatorOverview } from "../../../core/contract/operator.ts";
import { useAccount } from "../../api/account.ts";
import table from "../../components/card-table.module.css";
import { TitledCard } from "../../components/card.tsx";
import { Page } from "../../components/page.tsx";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
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
  const { data, error, refetch } = useOverview();
  return (
    <TitledCard title={deploymentTexts.title}>
      {data ? (
        <Overview overview={data} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <ListSkeleton rows={4} height={40} />
      )}
    </TitledCard>
  );
}

function Overview({
  overview: { release, signups, accounts, outbox, closing_accounts },
}: {
  overview: OperatorOverview;
}) {
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
      <NewestAccounts accounts={accounts.newest} />
    </Stack>
  );
}

function NewestAccounts({ accounts }: { accounts: OperatorOverview["accounts"]["newest"] }) {
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        {deploymentTexts.newest}
      </Title>
      <Table className={table.table ?? ""}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{deploymentTexts.email}</Table.Th>
            <Table.Th>{deploymentTexts.plan}</Table.Th>
            <Table.Th>{deploymentTexts.created}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {accounts.map(({ id, email, plan, created_at }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                  {email}
                </Text>
              </Table.Td>
              <Table.Td data-column={deploymentTexts.plan}>{deploymentTexts[plan]}</Table.Td>
              <Table.Td data-column={deploymentTexts.created}>{formatDateTime(created_at)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function boundedCount({ count, is_more }: { count: number; is_more: boolean }): string {
  return is_more ? deploymentTexts.moreThan(formatCount(count)) : formatCount(count);
}
