/** How much of its limits the account uses. */
import { Skeleton, Table } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { Mode } from "../../../core/account.ts";
import type { Limits } from "../../../core/contract/me.ts";
import type { Share } from "../../../core/contract/shares.ts";
import { ACCOUNT_NOTES_MAX, SAVED_VIEWS_MAX, SHARES_MAX, UTM_TEMPLATES_MAX } from "../../../core/limits.ts";
import { utmTemplatesQuery } from "../../api/account.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { TitledCard } from "../../components/card.tsx";
import { Loaded } from "../../components/states.tsx";
import { formatBytes, formatCount } from "../../formatting/numbers.ts";
import { usageTexts as texts } from "../../texts/settings.ts";
import { savedViewsQuery } from "../links/links-view.ts";

const ALMOST_FULL_PERCENT = 90;

async function usageOf(mode: Mode) {
  const { me, account, shares } = apiClients[mode];
  const [{ limits }, notes, shared] = await Promise.all([
    unwrap(me.$get({ query: {} })),
    unwrap(account.notes.$get({})),
    unwrap<{ data: Share[] }>(shares.$get({ query: {} })),
  ]);
  return { ...limits, notes: { used: notes.data.length, max: ACCOUNT_NOTES_MAX }, shared: shared.data.length };
}

export function UsageCard() {
  const limits = useQuery({
    queryKey: ["usage"],
    queryFn: async ({ client }) => {
      const [live, test, { data: templates }, views] = await Promise.all([
        usageOf("live"),
        usageOf("test"),
        client.fetchQuery(utmTemplatesQuery),
        client.fetchQuery(savedViewsQuery),
      ]);
      const lists = {
        utm_templates: { used: templates.length, max: UTM_TEMPLATES_MAX },
        saved_views: { used: views.length, max: SAVED_VIEWS_MAX },
        shares: { used: live.shared + test.shared, max: SHARES_MAX },
      };
      return { live, test, lists };
    },
  });
  return (
    <TitledCard title={texts.title} description={texts.hint}>
      <Loaded query={limits} skeleton={<Skeleton height={420} />}>
        {({ live, test, lists }) => (
          <Table>
            <Table.Tbody>
              {SHARED.map((name) => (
                <Quota key={name} label={texts.quotas[name]} {...live[name]} isBytes={name.endsWith("_bytes")} />
              ))}
              {PER_MODE.flatMap((name) => [
                <Quota key={name} label={texts.perMode[name].live} {...live[name]} />,
                <Quota key={`test ${name}`} label={texts.perMode[name].test} {...test[name]} />,
              ])}
              {LISTS.map((name) => (
                <Quota key={name} label={texts.lists[name]} {...lists[name]} />
              ))}
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
const LISTS = Object.keys(texts.lists) as (keyof typeof texts.lists)[];
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
  const format = isBytes ? formatBytes : formatCount;
  const percent = Math.min(100, (used / max) * 100);
  const color = `var(--mantine-color-${percent >= ALMOST_FULL_PERCENT ? "red" : "brand"}-filled)`;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {label}
      </Table.Th>
      <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
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
