/** Form for the account's name. The e-mail address cannot be changed. */
import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";

import { type Account, accountQuery } from "../../api/account.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { notifySuccess, notifyError } from "../../notifications.ts";
import { profileTexts as texts } from "../../texts/settings.ts";
import { SettingsCard } from "../../components/card.tsx";

export function ProfileForm({ account }: { account: Account }) {
  const queries = useQueryClient();
  const form = useForm({ initialValues: { name: account.name } });
  const save = useSingleMutation({
    mutationFn: ({ name }: typeof form.values) => unwrapAuth(authClient.updateUser({ name: name.trim() })),
    onSuccess: () => {
      notifySuccess(texts.saved);
      form.resetDirty();
      return queries.invalidateQueries(accountQuery);
    },
    onError: (error) => notifyError(texts.notSaved, error),
  });
  return (
    <SettingsCard title={texts.title}>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          <TextInput label={texts.email} description={texts.emailHint} value={account.email} readOnly />
          <TextInput label={texts.name} autoComplete="name" maxLength={100} {...form.getInputProps("name")} />
          <Group>
            <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty()}>
              {texts.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </SettingsCard>
  );
}
