/**
 * Cards of the account's page, each with its own requests: how much of its limits the account uses, its sessions, and
 * all of its data as a file.
 */
import { Badge, Group, Loader, Progress, Skeleton, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import type { Mode } from "../../../core/account.ts";
import type { Limits } from "../../../core/contract/me.ts";
import { ACCOUNT_NOTES_MAX, SAVED_VIEWS_MAX, SHARES_MAX, UTM_TEMPLATES_MAX } from "../../../core/limits.ts";
import { utmTemplatesQuery } from "../../api/account.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { useNotifiedMutation, useSingleMutation } from "../../api/mutations.ts";
import { Hint, SmallButton } from "../../components/buttons.tsx";
import { TitledCard } from "../../components/card.tsx";
import { loadPart } from "../../components/lazy-part.tsx";
import { ErrorState, ListSkeleton, Loaded } from "../../components/states.tsx";
import { downloadFile } from "../../files/download.ts";
import { formatDateTime } from "../../formatting/dates.ts";
import { formatBytes, formatCount } from "../../formatting/numbers.ts";
import { icon } from "../../icons.tsx";
import { accountExportTexts, sessionListTexts, usageTexts } from "../../texts/settings.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { savedViewsQuery } from "../links/links-view.ts";
import type { ExportCounts } from "./account-export.ts";

/** How much of its limits the account uses. */

const ALMOST_FULL_PERCENT = 90;

async function usageOf(mode: Mode) {
  const { me, account, shares } = apiClients[mode];
  const [{ limits }, notes, shared] = await Promise.all([
    unwrap(me.$get({ query: {} })),
    unwrap(account.notes.$get({})),
    unwrap(shares.$get({ query: {} })),
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
    <TitledCard title={usageTexts.title} description={usageTexts.hint}>
      <Loaded query={limits} skeleton={<Skeleton height={420} />}>
        {({ live, test, lists }) => (
          <Table>
            <Table.Tbody>
              {SHARED.map((name) => (
                <Quota key={name} label={usageTexts.quotas[name]} {...live[name]} isBytes={name.endsWith("_bytes")} />
              ))}
              {PER_MODE.flatMap((name) => [
                <Quota key={name} label={usageTexts.perMode[name].live} {...live[name]} />,
                <Quota key={`test ${name}`} label={usageTexts.perMode[name].test} {...test[name]} />,
              ])}
              {LISTS.map((name) => (
                <Quota key={name} label={usageTexts.lists[name]} {...lists[name]} />
              ))}
              {RATES.map((name) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row" fw={400}>
                    {usageTexts.rates[name]}
                  </Table.Th>
                  <Table.Td ta="right">
                    {usageTexts.rate(formatCount(live[name].max), formatCount(live[name].account_max))}
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
const SHARED = Object.keys(usageTexts.quotas) as (keyof typeof usageTexts.quotas)[];
const PER_MODE = Object.keys(usageTexts.perMode) as (keyof typeof usageTexts.perMode)[];
const LISTS = Object.keys(usageTexts.lists) as (keyof typeof usageTexts.lists)[];
const RATES = Object.keys(usageTexts.rates) as (keyof typeof usageTexts.rates)[];

/** Does not compile while a limit is not shown. */
type Shown = keyof typeof usageTexts.quotas | keyof typeof usageTexts.perMode | keyof typeof usageTexts.rates;
true satisfies Exclude<keyof Limits, Shown> extends never ? true : never;

interface QuotaProps {
  label: string;
  used: number;
  max: number;
  isBytes?: boolean;
}

function Quota({ label, used, max, isBytes = false }: QuotaProps) {
  const format = isBytes ? formatBytes : formatCount;
  const percent = Math.min(100, (used / max) * 100);
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {label}
      </Table.Th>
      <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
        {usageTexts.of(format(used), format(max))}
        <Progress
          value={percent}
          size={4}
          mt={4}
          color={percent >= ALMOST_FULL_PERCENT ? "red" : "brand"}
          aria-hidden
        />
      </Table.Td>
    </Table.Tr>
  );
}

/** List of the account's sessions, with buttons that end them. */

export const SESSIONS_QUERY_KEY = ["sessions"];

export function Sessions() {
  const sessions = useQuery({
    queryKey: SESSIONS_QUERY_KEY,
    queryFn: async () => {
      const [current, all] = await Promise.all([
        unwrapAuth(authClient.getSession()),
        unwrapAuth(authClient.listSessions()),
      ]);
      return all
        .map((session) => ({ ...session, isCurrent: session.token === current?.session.token }))
        .sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent) || +b.createdAt - +a.createdAt);
    },
  });
  const end = useNotifiedMutation({
    mutationFn: (token: string | null) =>
      unwrapAuth<unknown>(token === null ? authClient.revokeOtherSessions() : authClient.revokeSession({ token })),
    done: (token) => (token === null ? sessionListTexts.othersEnded : sessionListTexts.ended),
    failed: sessionListTexts.notEnded,
    refreshed: SESSIONS_QUERY_KEY,
  });
  const others = sessions.data?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <TitledCard
      title={sessionListTexts.title}
      description={sessionListTexts.hint}
      action={
        others.length > 1 && (
          <SmallButton disabled={end.isPending} onClick={() => end.mutate(null)}>
            {sessionListTexts.endOthers}
          </SmallButton>
        )
      }
    >
      {sessions.isPending && <ListSkeleton rows={2} height={40} />}
      {sessions.error && <ErrorState error={sessions.error} retry={() => void sessions.refetch()} />}
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={sessionListTexts.title}>
        {sessions.data?.map(({ token, userAgent, createdAt, isCurrent }) => (
          <Group component="li" key={token} justify="space-between" wrap="nowrap">
            <div>
              <Group gap="xs">
                <Text size="sm" fw={500}>
                  {userAgentLabel(userAgent ?? "")}
                </Text>
                {isCurrent && <Badge variant="default">{sessionListTexts.current}</Badge>}
              </Group>
              <Hint>{sessionListTexts.signedIn(formatDateTime(new Date(createdAt).toISOString()))}</Hint>
            </div>
            {!isCurrent && (
              <SmallButton
                aria-label={sessionListTexts.endOne(userAgentLabel(userAgent ?? ""))}
                disabled={end.isPending}
                onClick={() => end.mutate(token)}
              >
                {sessionListTexts.end}
              </SmallButton>
            )}
          </Group>
        ))}
      </Stack>
    </TitledCard>
  );
}

const BROWSERS: [name: string, mark: RegExp][] = [
  ["Edge", /\bEdg/],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /SamsungBrowser/],
  ["Firefox", /Firefox\/|FxiOS/],
  ["Chrome", /Chrome\/|CriOS/],
  ["Safari", /Safari\//],
];

const OPERATING_SYSTEMS: [name: string, mark: RegExp][] = [
  ["iOS", /iPhone|iPad/],
  ["Android", /Android/],
  ["Windows", /Windows/],
  ["ChromeOS", /CrOS/],
  ["macOS", /Mac OS X/],
  ["Linux", /Linux/],
];

/** Browser and system of a User-Agent, as a label for sessions and passkeys. Approximate: nothing depends on it. */
export function userAgentLabel(userAgent: string): string {
  const [browser, system] = [BROWSERS, OPERATING_SYSTEMS].map(
    (known) => known.find(([, mark]) => mark.test(userAgent))?.[0],
  );
  if (browser && system) return sessionListTexts.browserOn(browser, system);
  return browser ?? system ?? sessionListTexts.unknownBrowser;
}

/** Saves all data of the account as one file. */
export function ExportAccount() {
  const [counts, setCounts] = useState<ExportCounts>();
  const [waitingFor, setWaitingFor] = useState<string | null>(null);
  const abort = useRef<AbortController>(null);
  // Leaving the page cancels.
  useEffect(() => () => abort.current?.abort(), []);
  const run = useSingleMutation({
    mutationFn: async () => {
      const { signal } = (abort.current = new AbortController());
      setCounts(undefined);
      const { exportAccount } = await loadPart(() => import("./account-export.ts"));
      const archive = await exportAccount({ signal, onProgress: setCounts, onWait: setWaitingFor });
      signal.throwIfAborted();
      downloadFile(accountExportTexts.file(new Date().toISOString().slice(0, 10)), archive);
    },
    onSettled: () => setWaitingFor(null),
  });
  const isCanceled = run.isError && abort.current?.signal.aborted;
  return (
    <TitledCard
      title={accountExportTexts.title}
      description={accountExportTexts.hint}
      action={
        run.isPending ? (
          <SmallButton onClick={() => abort.current?.abort()}>{buttonTexts.cancel}</SmallButton>
        ) : (
          <SmallButton leftSection={icon("download", 16)} onClick={() => run.mutate()}>
            {accountExportTexts.start}
          </SmallButton>
        )
      }
    >
      {(run.isPending || run.isSuccess) && (
        <Stack gap={4} role="status">
          <Group gap="xs">
            {run.isPending && <Loader size="xs" aria-hidden />}
            <Text size="sm">{(run.isPending ? accountExportTexts.reading : accountExportTexts.saved)(counts)}</Text>
          </Group>
          {waitingFor && <Hint>{accountExportTexts.waiting(waitingFor)}</Hint>}
        </Stack>
      )}
      {run.isError && !isCanceled && (
        <ErrorState title={accountExportTexts.failed} error={run.error} retry={() => run.mutate()} />
      )}
    </TitledCard>
  );
}
