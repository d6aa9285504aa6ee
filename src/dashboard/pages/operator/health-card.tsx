/** The checks of the deployment's parts. */
import { Group } from "@mantine/core";

import type { HealthCheck } from "../../../core/contract/operator.ts";
import { ListSkeleton, Loaded } from "../../components/states.tsx";
import { formatCount } from "../../formatting/numbers.ts";
import { icon } from "../../icons.tsx";
import { operatorHealthTexts as texts } from "../../texts/operator.ts";
import { CardTable } from "../../components/card-table.tsx";
import { TitledCard } from "../../components/card.tsx";
import { SmallButton } from "../../components/buttons.tsx";
import { useHealth } from "./use-operator.ts";

export function HealthCard() {
  const health = useHealth();
  const { data, error, isFetching, refetch } = health;
  const failing = data?.checks.filter(({ ok }) => !ok).length ?? 0;
  return (
    <TitledCard
      title={texts.title}
      description={
        data && !error && <span role="status">{failing === 0 ? texts.allGood : texts.failing(failing)}</span>
      }
      action={
        <SmallButton loading={isFetching} onClick={() => void refetch()}>
          {texts.again}
        </SmallButton>
      }
    >
      <Loaded query={health} skeleton={<ListSkeleton rows={6} height={28} />}>
        {({ checks }) => <Checks checks={checks} />}
      </Loaded>
    </TitledCard>
  );
}

function Checks({ checks }: { checks: readonly HealthCheck[] }) {
  return (
    <CardTable
      rows={checks}
      keyOf={({ name }) => name}
      columns={[
        {
          name: texts.check,
          cell: ({ name, ok }) => (
            <Group gap="xs" wrap="nowrap">
              <CheckIcon ok={ok} />
              {texts.names[name] ?? name}
            </Group>
          ),
        },
        { name: texts.result, cell: ({ message }) => message },
        { name: texts.time, isFigure: true, cell: ({ ms }) => texts.ms(formatCount(ms)) },
      ]}
    />
  );
}

function CheckIcon({ ok }: { ok: boolean }) {
  const style = { flex: "none" };
  return ok
    ? icon("circle-check", 18, { style, "aria-label": texts.works, color: "var(--mantine-color-green-7)" })
    : icon("circle-x", 18, { style, "aria-label": texts.fails, color: "var(--mantine-color-red-7)" });
}
