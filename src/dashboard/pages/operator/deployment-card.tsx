/** What the deployment is: its release, its accounts, and what waits to be done. */
import { Stack, Table, Text, Title } from "@mantine/core";

import type { OperatorOverview } from "../../../core/contract/operator.ts";
import table from "../../components/card-table.module.css";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { formatDateTime } from "../../formatting/dates.ts";
import { formatCount } from "../../formatting/numbers.ts";
import { operatorDeploymentTexts as texts } from "../../texts/operator.ts";
import { SettingsCard } from "../../components/card.tsx";
import { FigureList } from "./figure-list.tsx";
import { useOverview } from "./use-operator.ts";

export function DeploymentCard() {
  const { data, error, refetch } = useOverview();
  return (
    <SettingsCard title={texts.title}>
      {data ? (
        <Overview overview={data} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <ListSkeleton rows={4} height={40} />
      )}
    </SettingsCard>
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
          { name: texts.release, value: release },
          { name: texts.signups, value: signups === "open" ? texts.open : texts.closed },
          { name: texts.accounts, value: boundedCount(accounts) },
          { name: texts.outbox, value: boundedCount(outbox) },
          { name: texts.closing, value: boundedCount(closing_accounts) },
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
        {texts.newest}
      </Title>
      <Table className={table.table ?? ""}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.email}</Table.Th>
            <Table.Th>{texts.plan}</Table.Th>
            <Table.Th>{texts.created}</Table.Th>
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
              <Table.Td data-column={texts.plan}>{texts[plan]}</Table.Td>
              <Table.Td data-column={texts.created}>{formatDateTime(created_at)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function boundedCount({ count, is_more }: { count: number; is_more: boolean }): string {
  return is_more ? texts.moreThan(formatCount(count)) : formatCount(count);
}
