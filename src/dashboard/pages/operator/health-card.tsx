/** The checks of the deployment's parts. */
import { Button, Group, Table, Text } from "@mantine/core";

import type { HealthCheck } from "../../../core/contract/operator.ts";
import table from "../../components/card-table.module.css";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { IconCircleCheck, IconCircleX } from "../../icons.tsx";
import { operatorHealthTexts as texts } from "../../texts/operator.ts";
import { TitledCard } from "../../components/card.tsx";
import { useHealth } from "./use-operator.ts";

export function HealthCard() {
  const { data, error, isFetching, refetch } = useHealth();
  const check = () => void refetch();
  const failing = data?.checks.filter(({ ok }) => !ok).length ?? 0;
  return (
    <TitledCard
      title={texts.title}
      description={
        data && !error && <span role="status">{failing === 0 ? texts.allGood : texts.failing(failing)}</span>
      }
      action={
        <Button variant="default" size="xs" loading={isFetching} onClick={check}>
          {texts.again}
        </Button>
      }
    >
      {error ? (
        <ErrorState error={error} retry={check} />
      ) : data ? (
        <Checks checks={data.checks} />
      ) : (
        <ListSkeleton rows={6} height={28} />
      )}
    </TitledCard>
  );
}

function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  return (
    <Table className={table.table ?? ""}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.check}</Table.Th>
          <Table.Th>{texts.result}</Table.Th>
          <Table.Th ta="right">{texts.time}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {checks.map(({ name, ok, message, ms }) => (
          <Table.Tr key={name}>
            <Table.Td>
              <Group gap="xs" wrap="nowrap">
                <CheckIcon ok={ok} />
                {texts.names[name] ?? name}
              </Group>
            </Table.Td>
            <Table.Td data-column={texts.result}>
              <Text size="sm" style={{ overflowWrap: "anywhere" }}>
                {message}
              </Text>
            </Table.Td>
            <Table.Td ta="right" data-column={texts.time} style={{ whiteSpace: "nowrap" }}>
              {texts.ms(formatCount(ms))}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function CheckIcon({ ok }: { ok: boolean }) {
  const look = { size: 18, role: "img", style: { flex: "none" } } as const;
  return ok ? (
    <IconCircleCheck {...look} aria-label={texts.works} color="var(--mantine-color-green-7)" />
  ) : (
    <IconCircleX {...look} aria-label={texts.fails} color="var(--mantine-color-red-7)" />
  );
}
