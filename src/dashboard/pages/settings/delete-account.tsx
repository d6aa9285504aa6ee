/** Deletes the account, after a checkbox and the password. */
import { Alert, Button, Checkbox, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { clearQueryCache } from "../../api/account.ts";
import { ApiError, errorMessage } from "../../api/api-error.ts";
import { unwrap, apiClients } from "../../api/client.ts";
import { SettingsCard } from "./settings-card.tsx";
import { removeAllDrafts } from "../link/rules/draft-storage.ts";

export function DeleteAccount({ hasPassword }: { hasPassword: boolean }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <SettingsCard
      title="Delete account"
      description="All links of both modes stop working, keys are revoked, statistics and domains are gone. This cannot be undone."
      action={
        <Button size="xs" color="red.9" onClick={open}>
          Delete account
        </Button>
      }
    >
      {opened && <DeleteAccountForm hasPassword={hasPassword} onClose={close} />}
    </SettingsCard>
  );
}

function DeleteAccountForm({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { password: "", understood: false },
    validate: {
      password: (value) => (value || !hasPassword ? null : "Enter your password"),
      understood: (value) => (value ? null : "Confirm that you mean it"),
    },
  });
  const remove = useMutation({
    mutationFn: ({ password }: typeof form.values) =>
      unwrap(apiClients.live.account.$delete({ json: hasPassword ? { password } : {} })),
    onSuccess: () => {
      navigate("/sign-in");
      clearQueryCache();
      removeAllDrafts(localStorage);
    },
    onError: (error) => isWrongPassword(error) && form.setFieldError("password", "This is not your password"),
  });
  return (
    <Modal opened onClose={onClose} title="Delete your account?">
      <form onSubmit={form.onSubmit((values) => remove.mutate(values))} noValidate>
        <Stack>
          {remove.error && !(hasPassword && isWrongPassword(remove.error)) && (
            <Alert color="red" role="alert">
              {errorMessage(remove.error)}
            </Alert>
          )}
          <Text size="sm">
            Every short URL of this account stops working for good, also where it is printed. Nobody can bring them
            back.
          </Text>
          {hasPassword && (
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              data-autofocus
              {...form.getInputProps("password")}
            />
          )}
          <Checkbox
            label="I understand that this cannot be undone"
            {...form.getInputProps("understood", { type: "checkbox" })}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Keep it
            </Button>
            <Button type="submit" color="red.9" loading={remove.isPending}>
              Delete account
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof ApiError && error.code === "invalid_password";
}
