/** Form for the account's name. The e-mail address cannot be changed. */
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { type Account, accountQuery } from "../../api/account.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { SettingsCard } from "./settings-card.tsx";

export function ProfileForm({ account }: { account: Account }) {
  const queries = useQueryClient();
  const form = useForm({ initialValues: { name: account.name } });
  const save = useMutation({
    mutationFn: ({ name }: typeof form.values) => unwrapAuth(authClient.updateUser({ name: name.trim() })),
    onSuccess: () => {
      notifySuccess("Your name was saved");
      form.resetDirty();
      return queries.invalidateQueries(accountQuery);
    },
    onError: (error) => notifyError("Your name was not saved", error),
  });
  return (
    <SettingsCard title="Profile">
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          <TextInput label="E-mail" description="Cannot be changed" value={account.email} readOnly />
          <TextInput label="Name" autoComplete="name" maxLength={100} {...form.getInputProps("name")} />
          <Group>
            <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </SettingsCard>
  );
}
