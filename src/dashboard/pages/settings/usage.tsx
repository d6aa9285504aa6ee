/** How much of its quotas the account uses. */
import { Skeleton, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { apiClients, unwrap } from "../../api/client.ts";
import { TitledCard } from "../../components/card.tsx";
import { Loaded } from "../../components/states.tsx";
import { formatCount, formatMegabytes } from "../../formatting/numbers.ts";
import { usageTexts as texts } from "../../texts/settings.ts";

const QUOTAS = Object.entries(texts.quotas) as [keyof typeof texts.quotas, string][];

export function UsageCard() {
  // These quotas are the same in both modes.
  const usage = useQuery({ queryKey: ["usage"], queryFn: () => unwrap(apiClients.live.me.$get({ query: {} })) });
  return (
    <TitledCard title={texts.title} description={texts.hint}>
      <Loaded query={usage} skeleton={<Skeleton height={140} />}>
        {({ limits }) => (
          <Table>
            <Table.Tbody>
              {QUOTAS.map(([name, label]) => {
                const format = name.endsWith("_bytes") ? formatMegabytes : formatCount;
                return (
                  <Table.Tr key={name}>
                    <Table.Th scope="row" fw={400}>
                      {label}
                    </Table.Th>
                    <Table.Td ta="right">{texts.of(format(limits[name].used), format(limits[name].max))}</Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        )}
      </Loaded>
    </TitledCard>
  );
}
