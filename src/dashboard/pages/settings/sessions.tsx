/** List of the account's sessions, with buttons that end them. */
import { Badge, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useNotifiedMutation } from "../../api/mutations.ts";
import { TitledCard } from "../../components/card.tsx";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { Hint, SmallButton } from "../../components/buttons.tsx";
import { formatDateTime } from "../../formatting/dates.ts";
import { sessionListTexts as texts } from "../../texts/settings.ts";

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
    done: (token) => (token === null ? texts.othersEnded : texts.ended),
    failed: texts.notEnded,
    refreshed: SESSIONS_QUERY_KEY,
  });
  const others = sessions.data?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <TitledCard
      title={texts.title}
      description={texts.hint}
      action={
        others.length > 1 && (
          <SmallButton disabled={end.isPending} onClick={() => end.mutate(null)}>
            {texts.endOthers}
          </SmallButton>
        )
      }
    >
      {sessions.isPending && <ListSkeleton rows={2} height={40} />}
      {sessions.error && <ErrorState error={sessions.error} retry={() => void sessions.refetch()} />}
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={texts.title}>
        {sessions.data?.map(({ token, userAgent, createdAt, isCurrent }) => (
          <Group component="li" key={token} justify="space-between" wrap="nowrap">
            <div>
              <Group gap="xs">
                <Text size="sm" fw={500}>
                  {userAgentLabel(userAgent ?? "")}
                </Text>
                {isCurrent && <Badge variant="default">{texts.current}</Badge>}
              </Group>
              <Hint>{texts.signedIn(formatDateTime(new Date(createdAt).toISOString()))}</Hint>
            </div>
            {!isCurrent && (
              <SmallButton
                aria-label={texts.endOne(userAgentLabel(userAgent ?? ""))}
                disabled={end.isPending}
                onClick={() => end.mutate(token)}
              >
                {texts.end}
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
  if (browser && system) return texts.browserOn(browser, system);
  return browser ?? system ?? texts.unknownBrowser;
}
