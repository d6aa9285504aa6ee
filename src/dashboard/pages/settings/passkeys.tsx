/** Lists, adds and removes the account's passkeys. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { authClient, unwrapAuth } from "../../api/auth.ts";
import { formatDate } from "../../formatting/dates.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { SettingsCard } from "./settings-card.tsx";
import { ErrorState } from "../../components/states.tsx";
import { userAgentLabel } from "./user-agent-label.ts";

const PASSKEYS_QUERY_KEY = ["passkeys"];

export function Passkeys() {
  const queries = useQueryClient();
  const passkeys = useQuery({
    queryKey: PASSKEYS_QUERY_KEY,
    queryFn: () => unwrapAuth(authClient.passkey.listUserPasskeys()),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: PASSKEYS_QUERY_KEY });
  const add = useMutation({
    mutationFn: () => unwrapAuth(authClient.passkey.addPasskey({ name: userAgentLabel(navigator.userAgent) })),
    onSuccess: () => {
      notifySuccess("The passkey was added");
      return refresh();
    },
    onError: (error) => notifyError("No passkey was added", error),
  });
  const remove = useMutation({
    mutationFn: (id: string) => unwrapAuth(authClient.passkey.deletePasskey({ id })),
    onSuccess: () => {
      notifySuccess("The passkey was removed");
      return refresh();
    },
    onError: (error) => notifyError("The passkey was not removed", error),
  });
  const confirmRemoval = (id: string, name: string) =>
    modals.openConfirmModal({
      title: "Remove this passkey?",
      children: (
        <Text size="sm">
          <strong>{name}</strong> no longer opens your account. What signs you in otherwise stays.
        </Text>
      ),
      labels: { confirm: "Remove passkey", cancel: "Keep it" },
      confirmProps: { color: "red.9" },
      onConfirm: () => remove.mutate(id),
    });
  const canAdd = "PublicKeyCredential" in window;
  return (
    <SettingsCard
      title="Passkeys"
      description="Sign in with a fingerprint, a face or a security key instead of a password."
      action={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFingerprint size={16} aria-hidden />}
          disabled={!canAdd}
          loading={add.isPending}
          onClick={() => add.mutate()}
        >
          Add a passkey
        </Button>
      }
    >
      {!canAdd && <Text size="sm">This browser has no passkeys, or the page is not served over HTTPS.</Text>}
      {passkeys.error && <ErrorState error={passkeys.error} retry={() => void passkeys.refetch()} />}
      {passkeys.data?.length === 0 && <Text size="sm">None yet.</Text>}
      {passkeys.data && passkeys.data.length > 0 && (
        <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label="Passkeys">
          {passkeys.data.map(({ id, name: given, createdAt }) => {
            const name = given || "Passkey";
            return (
              <Group component="li" key={id} justify="space-between" wrap="nowrap">
                <Text size="sm">
                  {name}, added {formatDate(new Date(createdAt).toISOString())}
                </Text>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Remove ${name}`}
                  onClick={() => confirmRemoval(id, name)}
                >
                  Remove
                </Button>
              </Group>
            );
          })}
        </Stack>
      )}
    </SettingsCard>
  );
}
