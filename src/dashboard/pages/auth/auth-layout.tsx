/** Frame of sign-in, sign-up and setup: a centered card. Also shows how to get the setup URL for the first account. */
import { Anchor, Center, Code, Group, Paper, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { Link } from "wouter";

import { SETUP_COMMAND } from "../../../core/deployment/deployment-problems.ts";
import { SETUP_TOKEN_MAX_CHARS } from "../../../core/limits.ts";
import { CopyIconButton, Hint, PlainButton } from "../../components/buttons.tsx";
import { Page } from "../../components/page.tsx";
import { Logo } from "../../icons.tsx";
import { authTexts, setupTexts } from "../../texts/auth.ts";
import classes from "./auth-layout.module.css";

export function AuthLayout({ title, children, footer }: { title: string; children: ReactNode; footer?: ReactNode }) {
  return (
    <Center className={classes.window}>
      <Stack w="100%" maw={420} gap="md">
        <Group component="header" gap="xs" justify="center" fw={700} fz="xl">
          <Logo />
          Hoplink
        </Group>
        <Paper component="main" withBorder p="xl" radius="lg">
          <Page title={title}>{children}</Page>
        </Paper>
        <Hint component="footer" ta="center">
          {footer && <span>{footer} · </span>}
          <Anchor href="/docs" inherit>
            {authTexts.docs}
          </Anchor>
        </Hint>
      </Stack>
    </Center>
  );
}

/** Says why there is nothing to fill in, and leads to the sign-in. */
export function SignInNext({ children }: { children: string }) {
  return (
    <Stack gap="sm">
      <Text role="status">{children}</Text>
      <Anchor component={Link} to="/sign-in">
        {authTexts.signIn}
      </Anchor>
    </Stack>
  );
}

/**
 * The command that the operator runs to get a one-time URL for the first account, and the form for the token of a
 * deployer without a terminal.
 */
export function SetupCommand({ reason }: { reason: string }) {
  return (
    <Stack gap="sm">
      <Text role="status">{reason}</Text>
      <Group gap="xs" wrap="nowrap">
        <Code block flex={1}>
          {SETUP_COMMAND}
        </Code>
        <CopyIconButton value={SETUP_COMMAND} label={setupTexts.command} />
      </Group>
      <Hint>{setupTexts.validity}</Hint>
      <ChosenTokenForm />
    </Stack>
  );
}

function ChosenTokenForm() {
  const [token, setToken] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The fragment is sent to no server, and the setup page removes it from the address and the history.
    location.assign(`/dashboard/setup#token=${encodeURIComponent(token.trim())}`);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          type="password"
          label={setupTexts.chosenToken}
          description={setupTexts.chosenTokenHint}
          autoComplete="off"
          maxLength={SETUP_TOKEN_MAX_CHARS}
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
        />
        <PlainButton type="submit" disabled={token.trim() === ""}>
          {setupTexts.useToken}
        </PlainButton>
      </Stack>
    </form>
  );
}
