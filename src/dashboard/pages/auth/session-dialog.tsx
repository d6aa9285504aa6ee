/**
 * Signs in again in a dialog over the page, so that typed text stays. A provider's page would replace this one, so it
 * opens in another window; the account is fetched again whenever this window gets the focus.
 */
import { Anchor, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import type { AccountInfo } from "../../../core/contract/dashboard.ts";
import { accountQuery, configQuery, useAccount } from "../../api/account.ts";
import { queryClient, setSignInReason, type SignInReason } from "../../api/client.ts";
import { SubmitButton } from "../../components/buttons.tsx";
import { Form } from "../../components/form.tsx";
import { notifySuccess } from "../../notifications.ts";
import { authTexts, sessionTexts } from "../../texts/auth.ts";
import { AlternativeSignIn, CodeInput, CurrentPasswordInput, useSignIn } from "./sign-in-parts.tsx";

/** Places this dialog above any other, in which something may have been typed. */
const Z_INDEX = 400;
/** Keeps Escape from reaching the dialog below, which would close. */
const keepEscape = { "data-mantine-stop-propagation": "true" };

interface SessionDialogProps {
  account: AccountInfo;
  reason: SignInReason;
  onClose: () => void;
}

export default function SessionDialog({ account, reason, onClose }: SessionDialogProps) {
  useResume(reason);
  return (
    <Modal
      opened
      onClose={onClose}
      title={sessionTexts.title}
      zIndex={Z_INDEX}
      closeOnClickOutside={false}
      closeOnEscape={false}
      overlayProps={{ blur: 6 }}
      closeButtonProps={{ "aria-label": sessionTexts.notNow, ...keepEscape }}
    >
      <Stack>
        <Text size="sm">{sessionTexts.reasons[reason]}</Text>
        <SignInAgain email={account.email} reason={reason} />
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => location.assign("/dashboard/sign-in")}
          {...keepEscape}
        >
          {sessionTexts.otherAccount}
        </Anchor>
      </Stack>
    </Modal>
  );
}

/** Resumes once the account can be read again. An old session can still read it, so only an ended one counts. */
function useResume(reason: SignInReason): void {
  const [openedAt] = useState(() => Date.now());
  const { dataUpdatedAt } = useAccount();
  useEffect(() => {
    if (reason === "ended" && dataUpdatedAt > openedAt) resume();
  }, [dataUpdatedAt, openedAt, reason]);
}

function resume(): void {
  setSignInReason(null);
  notifySuccess(sessionTexts.resumed);
  void queryClient.invalidateQueries();
}

function SignInAgain({ email, reason }: { email: string; reason: SignInReason }) {
  const config = useQuery(configQuery);
  const { form, signIn, asksCode } = useSignIn(email, async () => {
    await queryClient.refetchQueries(accountQuery);
    if (reason === "old") resume();
  });
  return (
    <>
      <Form form={form} onSubmit={() => signIn.mutate("password")} error={signIn.error}>
        <TextInput label={authTexts.email} value={email} readOnly autoComplete="username" {...keepEscape} />
        <CurrentPasswordInput
          label={authTexts.password}
          data-autofocus
          {...keepEscape}
          {...form.getInputProps("password")}
        />
        {asksCode && <CodeInput autoFocus {...keepEscape} {...form.getInputProps("code")} />}
        <Group justify="flex-end">
          <SubmitButton loading={signIn.isPending} {...keepEscape}>
            {authTexts.signIn}
          </SubmitButton>
        </Group>
      </Form>
      {config.data && (
        <AlternativeSignIn
          config={{ ...config.data, providers: [] }}
          returnTo="/"
          onPasskey={() => signIn.mutate("passkey")}
        />
      )}
      {config.data && config.data.providers.length > 0 && (
        <Anchor href="/dashboard/sign-in" target="_blank" size="sm" {...keepEscape}>
          {sessionTexts.otherWay}
        </Anchor>
      )}
    </>
  );
}
