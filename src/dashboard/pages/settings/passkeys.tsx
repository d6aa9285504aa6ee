/** Lists, adds and removes the account's passkeys. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { formatDate } from "../../formatting/dates.ts";
import { IconFingerprint } from "../../icons.tsx";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { TitledCard } from "../../components/card.tsx";
import { ErrorState } from "../../components/states.tsx";
import { passkeyTexts as texts } from "../../texts/settings.ts";
import { userAgentLabel } from "./sessions.tsx";

const PASSKEYS_QUERY_KEY = ["passkeys"];

export function Passkeys() {
  const queries = useQueryClient();
  const passkeys = useQuery({
    queryKey: PASSKEYS_QUERY_KEY,
    queryFn: () => unwrapAuth(authClient.passkey.listUserPasskeys()),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: PASSKEYS_QUERY_KEY });
  const add = useSingleMutation({
    mutationFn: () => unwrapAuth(authClient.passkey.addPasskey({ name: userAgentLabel(navigator.userAgent) })),
    onSuccess: () => {
      notifySuccess(texts.wasAdded);
      return refresh();
    },
    onError: (error) => notifyError(texts.notAdded, error),
  });
  const remove = useSingleMutation({
    mutationFn: (id: string) => unwrapAuth(authClient.passkey.deletePasskey({ id })),
    onSuccess: () => {
      notifySuccess(texts.wasRemoved);
      return refresh();
    },
    onError: (error) => notifyError(texts.notRemoved, error),
  });
  const confirmRemoval = (id: string, name: string) =>
    modals.openConfirmModal({
      title: texts.removeTitle,
      children: (
        <Text size="sm">
          <strong>{name}</strong> {texts.removeWarning}
        </Text>
      ),
      labels: { confirm: texts.confirm, cancel: texts.keep },
      confirmProps: { color: "red.9" },
      onConfirm: () => remove.mutate(id),
    });
  const canAdd = "PublicKeyCredential" in window;
  return (
    <TitledCard
      title={texts.title}
      description={texts.hint}
      action={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFingerprint size={16} aria-hidden />}
          disabled={!canAdd}
          loading={add.isPending}
          onClick={() => add.mutate()}
        >
          {texts.add}
        </Button>
      }
    >
      {!canAdd && <Text size="sm">{texts.unsupported}</Text>}
      {passkeys.error && <ErrorState error={passkeys.error} retry={() => void passkeys.refetch()} />}
      {passkeys.data?.length === 0 && <Text size="sm">{texts.none}</Text>}
      {passkeys.data && passkeys.data.length > 0 && (
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={texts.list}>
          {passkeys.data.map(({ id, name: given, createdAt }) => {
            const name = given || texts.unnamed;
            return (
              <Group component="li" key={id} justify="space-between" wrap="nowrap">
                <Text size="sm">{texts.added(name, formatDate(new Date(createdAt).toISOString()))}</Text>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={texts.removeOne(name)}
                  disabled={remove.isPending}
                  onClick={() => confirmRemoval(id, name)}
                >
                  {texts.remove}
                </Button>
              </Group>
            );
          })}
        </Stack>
      )}
    </TitledCard>
  );
}
