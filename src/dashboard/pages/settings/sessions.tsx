/** Lists the account's sessions, and ends them. */
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { formatDateTime } from "../../formatting/dates.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { SettingsCard } from "../../components/card.tsx";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { sessionListTexts as texts } from "../../texts/settings.ts";
import { userAgentLabel } from "./user-agent-label.ts";

export const SESSIONS_QUERY_KEY = ["sessions"];

export function Sessions() {
  const queries = useQueryClient();
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
  const end = useSingleMutation({
    mutationFn: (token: string | null) =>
      unwrapAuth<unknown>(token === null ? authClient.revokeOtherSessions() : authClient.revokeSession({ token })),
    onSuccess: (_, token) => {
      notifySuccess(token === null ? texts.othersEnded : texts.ended);
      return queries.invalidateQueries({ queryKey: SESSIONS_QUERY_KEY });
    },
    onError: (error) => notifyError(texts.notEnded, error),
  });
  const others = sessions.data?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <SettingsCard
      title={texts.title}
      description={texts.hint}
      action={
        others.length > 1 && (
          <Button size="xs" variant="default" disabled={end.isPending} onClick={() => end.mutate(null)}>
            {texts.endOthers}
          </Button>
        )
      }
    >
      {sessions.isPending && <ListSkeleton rows={2} height={40} />}
      {sessions.error && <ErrorState error={sessions.error} retry={() => void sessions.refetch()} />}
      <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={texts.list}>
        {sessions.data?.map(({ token, userAgent, createdAt, isCurrent }) => (
          <Group component="li" key={token} justify="space-between" wrap="nowrap">
            <div>
              <Group gap="xs">
                <Text size="sm" fw={500}>
                  {userAgentLabel(userAgent ?? "")}
                </Text>
                {isCurrent && (
                  <Badge variant="default" tt="none">
                    {texts.current}
                  </Badge>
                )}
              </Group>
              <Text size="sm" c="dimmed">
                {texts.signedIn(formatDateTime(new Date(createdAt).toISOString()))}
              </Text>
            </div>
            {!isCurrent && (
              <Button
                size="xs"
                variant="default"
                aria-label={texts.endOne(userAgentLabel(userAgent ?? ""))}
                disabled={end.isPending}
                onClick={() => end.mutate(token)}
              >
                {texts.end}
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </SettingsCard>
  );
}
