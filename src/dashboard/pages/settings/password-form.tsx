/** Change the password. Every other session ends with it. */
import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { PASSWORD_MIN_CHARS } from "../../../core/limits.ts";
import { ApiError } from "../../api/api-error.ts";
import { auth, authAnswer } from "../../api/auth.ts";
import { FormProblem } from "../../components/form-problem.tsx";
import { notifyDone } from "../../components/notify.ts";
import { Section } from "../../components/section.tsx";
import { passwordFault } from "../auth/password.ts";
import { SESSIONS_KEY } from "./sessions.tsx";

export function PasswordForm({ email }: { email: string }) {
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { currentPassword: "", newPassword: "" },
    validate: {
      currentPassword: (value) => (value ? null : "Enter your current password"),
      newPassword: passwordFault,
    },
  });
  const change = useMutation({
    mutationFn: (passwords: typeof form.values) =>
      authAnswer(auth.changePassword({ ...passwords, revokeOtherSessions: true })),
    onSuccess: () => {
      notifyDone("Your password was changed. Every other session has ended.");
      form.reset();
      return queries.invalidateQueries({ queryKey: SESSIONS_KEY });
    },
    onError: (error) => error instanceof ApiError && form.setErrors(error.fields()),
  });
  return (
    <Section title="Password" description="Changing it ends every other session.">
      <form onSubmit={form.onSubmit((passwords) => change.mutate(passwords))} noValidate>
        <Stack>
          <FormProblem error={change.error} />
          {/* Tells password managers whose password it is. */}
          <input type="text" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            {...form.getInputProps("currentPassword")}
          />
          <PasswordInput
            label="New password"
            description={`At least ${PASSWORD_MIN_CHARS} characters`}
            autoComplete="new-password"
            required
            {...form.getInputProps("newPassword")}
          />
          <Group>
            <Button type="submit" variant="default" loading={change.isPending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
