/** A part of a page in a frame, with its title and an action beside it. */
import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface TitledCardProps {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
}

export function TitledCard({ title, description, action, children }: TitledCardProps) {
  const id = useId();
  return (
    <Paper component="section" withBorder p="lg" aria-labelledby={id}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <div style={{ minWidth: 0, flex: "1 1 16rem" }}>
            <Title order={2} size="h4" id={id}>
              {title}
            </Title>
            {description && (
              <Text size="sm" c="dimmed" mt={4} component="div">
                {description}
              </Text>
            )}
          </div>
          {action}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
