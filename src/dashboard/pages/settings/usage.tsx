/** How much of its limits the account uses. */
import { Skeleton, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { Limits } from "../../../core/contract/me.ts";
import { UTM_TEMPLATES_MAX } from "../../../core/limits.ts";
import { utmTemplatesQuery } from "../../api/account.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { TitledCard } from "../../components/card.tsx";
import { Loaded } from "../../components/states.tsx";
import { formatCount, formatMegabytes } from "../../formatting/numbers.ts";
import { usageTexts as texts } from "../../texts/settings.ts";

const ALMOST_FULL_PERCENT = 90;

const limitsOf = async (mode: keyof typeof apiClients) =>
  (await unwrap(apiClients[mode].me.$get({ query: {} }))).limits;

export function UsageCard() {
  const limits = useQuery({
    queryKey: ["usage"],
    queryFn: async () => {
      const [live, test] = await Promise.all([limitsOf("live"), limitsOf("test")]);
      return { live, test };
    },
  });
  const templates = useQuery(utmTemplatesQuery);
  return (
    <TitledCard title={texts.title} description={texts.hint}>
      <Loaded query={limits} skeleton={<Skeleton height={420} />}>
        {({ live, test }) => (
          <Table>
            <Table.Tbody>
              {SHARED.map((name) => (
                <Quota key={name} label={texts.quotas[name]} {...live[name]} isBytes={name.endsWith("_bytes")} />
              ))}
              {PER_MODE.flatMap((name) => [
                <Quota key={name} label={texts.perMode[name].live} {...live[name]} />,
                <Quota key={`test ${name}`} label={texts.perMode[name].test} {...test[name]} />,
              ])}
              {templates.data && (
                <Quota label={texts.utmTemplates} used={templates.data.data.length} max={UTM_TEMPLATES_MAX} />
              )}
              {RATES.map((name) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row" fw={400}>
                    {texts.rates[name]}
                  </Table.Th>
                  <Table.Td ta="right">
                    {texts.rate(formatCount(live[name].max), formatCount(live[name].account_max))}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Loaded>
    </TitledCard>
  );
}

/** The same in both modes. */
const SHARED = Object.keys(texts.quotas) as (keyof typeof texts.quotas)[];
const PER_MODE = Object.keys(texts.perMode) as (keyof typeof texts.perMode)[];
const RATES = Object.keys(texts.rates) as (keyof typeof texts.rates)[];

/** Does not compile while a limit is not shown. */
type Shown = keyof typeof texts.quotas | keyof typeof texts.perMode | keyof typeof texts.rates;
true satisfies Exclude<keyof Limits, Shown> extends never ? true : never;

const BAR = { height: 4, marginTop: 4, borderRadius: 2 };

interface QuotaProps {
  label: string;
  used: number;
  max: number;
  isBytes?: boolean;
}

function Quota({ label, used, max, isBytes = false }: QuotaProps) {
  const format = isBytes ? formatMegabytes : formatCount;
  const percent = Math.min(100, (used / max) * 100);
  const color = `var(--mantine-color-${percent >= ALMOST_FULL_PERCENT ? "red" : "brand"}-filled)`;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {label}
      </Table.Th>
      <Table.Td ta="right">
        {texts.of(format(used), format(max))}
        <div
          aria-hidden
          style={{
            ...BAR,
            background: `linear-gradient(to right, ${color} ${percent}%, var(--mantine-color-default-border) 0)`,
          }}
        />
      </Table.Td>
    </Table.Tr>
  );
}
