/** A state in words, with a coloured dot: the words alone keep their contrast in both schemes. */
import { Badge } from "@mantine/core";

import classes from "./state-badge.module.css";

interface StateBadgeProps {
  tone: "good" | "neutral" | "warning" | "bad";
  title?: string;
  children: string;
}

export function StateBadge({ tone, title, children }: StateBadgeProps) {
  return (
    <Badge
      component="span"
      variant="default"
      tt="none"
      fw={500}
      className={classes.badge}
      leftSection={<span className={classes.dot} data-tone={tone} aria-hidden />}
      {...(title === undefined ? {} : { title })}
    >
      {children}
    </Badge>
  );
}
