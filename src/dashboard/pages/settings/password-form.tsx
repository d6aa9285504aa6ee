/** Changes the password, which ends all other sessions. */
import { Group } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";

import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { Form, showAtFields } from "../../components/form.tsx";
import { notifySuccess } from "../../notifications.ts";
import { passwordTexts as texts } from "../../texts/settings.ts";
import { TitledCard } from "../../components/card.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { CurrentPasswordInput, NewPasswordInput, passwordError } from "../auth/new-password.tsx";
import { SESSIONS_QUERY_KEY } from "./sessions.tsx";

export function PasswordForm({ email }: { email: string }) {
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { currentPassword: "", newPassword: "" },
    validate: {
      currentPassword: (value) => (value ? null : texts.currentMissing),
      newPassword: passwordError,
    },
  });
  const change = useSingleMutation({
    mutationFn: (passwords: typeof form.values) =>
      unwrapAuth(authClient.changePassword({ ...passwords, revokeOtherSessions: true })),
    onSuccess: () => {
      notifySuccess(texts.changed);
      form.reset();
      return queries.invalidateQueries({ queryKey: SESSIONS_QUERY_KEY });
    },
    onError: showAtFields(form),
  });
  return (
    <TitledCard title={texts.title} description={texts.hint}>
      <Form form={form} onSubmit={change.mutate} error={change.error}>
        {/* Password managers need the user name beside a new password. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <CurrentPasswordInput label={texts.current} {...form.getInputProps("currentPassword")} />
        <NewPasswordInput label={texts.new} {...form.getInputProps("newPassword")} />
        <Group>
          <PlainButton type="submit" loading={change.isPending}>
            {texts.submit}
          </PlainButton>
        </Group>
      </Form>
    </TitledCard>
  );
}
