/** A framed part of a page, with its title and an action beside it. */
import { Group, Paper, Stack, Title } from "@mantine/core";
import { type ReactNode, type Ref, useId } from "react";

import { Hint } from "./buttons.tsx";

interface TitledCardProps {
  title: string;
  description?: ReactNode;
  action?: ReactNode;
  /** Heading level. */
  order?: 2 | 3;
  /** For several cards in a row: full height, little padding. */
  isTile?: boolean;
  ref?: Ref<HTMLElement>;
  children?: ReactNode;
}

export function TitledCard({ title, description, action, order = 2, isTile = false, ref, children }: TitledCardProps) {
  const id = useId();
  const tile = isTile ? { p: "md", h: "100%" } : { p: "lg" };
  return (
    <Paper component="section" withBorder aria-labelledby={id} ref={ref} {...tile}>
      <Stack {...(isTile ? { gap: "xs", h: "100%" } : { gap: "md" })}>
        <Group justify="space-between" align="flex-start" gap="sm">
          <div style={{ minWidth: 0, flex: "1 1 16rem" }}>
            <Title order={order} size={order === 2 ? "h4" : "h5"} id={id}>
              {title}
            </Title>
            {description && (
              <Hint mt={4} component="div">
                {description}
              </Hint>
            )}
          </div>
          {action}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
