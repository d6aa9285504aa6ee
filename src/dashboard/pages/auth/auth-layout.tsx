/** Layout of sign-in and sign-up: a centred card. */
import { Anchor, Center, Group, Paper, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

import { Page } from "../../components/page.tsx";
import { Logo } from "../../shell/logo.tsx";
import { authTexts } from "../../texts/auth.ts";
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
        <Text component="footer" ta="center" size="sm" c="dimmed">
          {footer && <span>{footer} · </span>}
          <Anchor href="/docs" inherit>
            {authTexts.apiReference}
          </Anchor>
        </Text>
      </Stack>
    </Center>
  );
}
