/** Deletes the account, after a checkbox and the password. */
import { Button, Checkbox, Modal, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useLocation } from "wouter";

import { clearQueryCache } from "../../api/account.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { ApiError } from "../../api/api-error.ts";
import { Form, FormButtons } from "../../components/form.tsx";
import { unwrap, apiClients } from "../../api/client.ts";
import { forgetSession } from "../../api/session.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { deleteAccountTexts as texts } from "../../texts/settings.ts";
import { TitledCard } from "../../components/card.tsx";
import { removeAllDrafts } from "../link/rules/draft-storage.ts";
import { CurrentPasswordInput } from "../auth/new-password.tsx";

export function DeleteAccount({ hasPassword }: { hasPassword: boolean }) {
  const [opened, { open, close }] = useDisclosure();
  return (
    <TitledCard
      title={texts.title}
      description={texts.hint}
      action={
        <Button size="xs" color="red.9" onClick={open}>
          {texts.open}
        </Button>
      }
    >
      {opened && <DeleteAccountForm hasPassword={hasPassword} onClose={close} />}
    </TitledCard>
  );
}

function DeleteAccountForm({ hasPassword, onClose }: { hasPassword: boolean; onClose: () => void }) {
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { password: "", understood: false },
    validate: {
      password: (value) => (value || !hasPassword ? null : texts.passwordMissing),
      understood: (value) => (value ? null : texts.notUnderstood),
    },
  });
  const remove = useAbortableMutation({
    mutationFn: ({ password }: typeof form.values, signal) =>
      unwrap(apiClients.live.account.$delete({ json: hasPassword ? { password } : {} }, { init: { signal } })),
    onSuccess: () => {
      forgetSession();
      navigate("/sign-in");
      clearQueryCache();
      removeAllDrafts(localStorage);
    },
    onError: (error) =>
      error instanceof ApiError &&
      form.setErrors(isWrongPassword(error) ? { password: texts.wrongPassword } : error.fieldErrors()),
  });
  return (
    <Modal opened onClose={onClose} title={texts.question}>
      <Form form={form} onSubmit={remove.mutate} error={isWrongPassword(remove.error) ? null : remove.error}>
        <Text size="sm">{texts.warning}</Text>
        {hasPassword && (
          <CurrentPasswordInput label={texts.password} data-autofocus {...form.getInputProps("password")} />
        )}
        <Checkbox label={texts.understood} {...form.getInputProps("understood", { type: "checkbox" })} />
        <FormButtons
          cancel={buttonTexts.keep}
          onCancel={onClose}
          submit={texts.confirm}
          isPending={remove.isPending}
          color="red.9"
        />
      </Form>
    </Modal>
  );
}

function isWrongPassword(error: unknown): boolean {
  return error instanceof ApiError && error.code === "invalid_password";
}
