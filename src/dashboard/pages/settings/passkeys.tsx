/** Passkeys: sign in with a fingerprint, a face or a security key. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { auth, authAnswer } from "../../api/auth.ts";
import { dateWords } from "../../components/dates.ts";
import { notifyDone, notifyFailed } from "../../components/notify.ts";
import { Section } from "../../components/section.tsx";
import { ErrorState } from "../../components/states.tsx";
import { browserWords } from "./browser-words.ts";

const PASSKEYS_KEY = ["passkeys"];

export function Passkeys() {
  const queries = useQueryClient();
  const passkeys = useQuery({
    queryKey: PASSKEYS_KEY,
    queryFn: () => authAnswer(auth.passkey.listUserPasskeys()),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: PASSKEYS_KEY });
  const add = useMutation({
    mutationFn: () => authAnswer(auth.passkey.addPasskey({ name: browserWords(navigator.userAgent) })),
    onSuccess: () => {
      notifyDone("The passkey was added");
      return refresh();
    },
    onError: (error) => notifyFailed("No passkey was added", error),
  });
  const remove = useMutation({
    mutationFn: (id: string) => authAnswer(auth.passkey.deletePasskey({ id })),
    onSuccess: () => {
      notifyDone("The passkey was removed");
      return refresh();
    },
    onError: (error) => notifyFailed("The passkey was not removed", error),
  });
  const askToRemove = (id: string, name: string) =>
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
    <Section
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
                  {name}, added {dateWords(new Date(createdAt).toISOString())}
                </Text>
                <Button size="xs" variant="default" aria-label={`Remove ${name}`} onClick={() => askToRemove(id, name)}>
                  Remove
                </Button>
              </Group>
            );
          })}
        </Stack>
      )}
    </Section>
  );
}
