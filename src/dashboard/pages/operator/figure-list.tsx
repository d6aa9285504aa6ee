/** Numbers with their names, marked where they need a look. */
import { Badge, Text } from "@mantine/core";

import { operatorMetricsTexts as texts } from "../../texts/operator.ts";
import classes from "./figure-list.module.css";
import type { Figure } from "./metric-groups.ts";

export function FigureList({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className={classes.list}>
      {figures.map(({ name, value, isAlarming }) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} fw={600} style={{ overflowWrap: "anywhere" }}>
            {value}
            {isAlarming && (
              <Badge color="red" variant="light" ml="xs" tt="none">
                {texts.look}
              </Badge>
            )}
          </Text>
        </div>
      ))}
    </dl>
  );
}
