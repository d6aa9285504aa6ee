/** Lists, adds and removes the account's passkeys. */
import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useNotifiedMutation } from "../../api/mutations.ts";
import { SmallButton } from "../../components/buttons.tsx";
import { TitledCard } from "../../components/card.tsx";
import { confirmRemoval } from "../../components/confirm-removal.tsx";
import { Loaded } from "../../components/states.tsx";
import { formatDate } from "../../formatting/dates.ts";
import { icon } from "../../icons.tsx";
import { passkeyTexts as texts } from "../../texts/settings.ts";
import { userAgentLabel } from "./sessions.tsx";

const PASSKEYS_QUERY_KEY = ["passkeys"];

type Passkey = Awaited<ReturnType<typeof readPasskeys>>[number];

const readPasskeys = () => unwrapAuth(authClient.passkey.listUserPasskeys());

export function Passkeys() {
  const passkeys = useQuery({ queryKey: PASSKEYS_QUERY_KEY, queryFn: readPasskeys });
  const add = useNotifiedMutation({
    mutationFn: () => unwrapAuth(authClient.passkey.addPasskey({ name: userAgentLabel(navigator.userAgent) })),
    done: () => texts.wasAdded,
    failed: texts.notAdded,
    refreshed: PASSKEYS_QUERY_KEY,
  });
  const canAdd = "PublicKeyCredential" in window;
  return (
    <TitledCard
      title={texts.title}
      description={texts.hint}
      action={
        <SmallButton
          leftSection={icon("fingerprint", 16)}
          disabled={!canAdd}
          loading={add.isPending}
          onClick={() => add.mutate()}
        >
          {texts.add}
        </SmallButton>
      }
    >
      {!canAdd && <Text size="sm">{texts.unsupported}</Text>}
      <Loaded query={passkeys} skeleton={null}>
        {(list) => <PasskeyList passkeys={list} />}
      </Loaded>
    </TitledCard>
  );
}

function PasskeyList({ passkeys }: { passkeys: readonly Passkey[] }) {
  const remove = useNotifiedMutation({
    mutationFn: (id: string) => unwrapAuth(authClient.passkey.deletePasskey({ id })),
    done: () => texts.wasRemoved,
    failed: texts.notRemoved,
    refreshed: PASSKEYS_QUERY_KEY,
  });
  const askToRemove = (id: string, name: string) =>
    confirmRemoval({
      title: texts.removeTitle,
      name,
      warning: texts.removeWarning,
      confirm: texts.confirm,
      onConfirm: () => remove.mutate(id),
    });
  if (passkeys.length === 0) return <Text size="sm">{texts.none}</Text>;
  return (
    <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: "none" }} aria-label={texts.list}>
      {passkeys.map(({ id, name: given, createdAt }) => {
        const name = given || texts.unnamed;
        return (
          <Group component="li" key={id} justify="space-between" wrap="nowrap">
            <Text size="sm">{texts.added(name, formatDate(new Date(createdAt).toISOString()))}</Text>
            <SmallButton
              aria-label={texts.removeOne(name)}
              disabled={remove.isPending}
              onClick={() => askToRemove(id, name)}
            >
              {texts.remove}
            </SmallButton>
          </Group>
        );
      })}
    </Stack>
  );
}
