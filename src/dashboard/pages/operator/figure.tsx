/** A number with its name, in a list of them; marked where it needs a look. */
import { Badge, Text } from "@mantine/core";

import { operatorMetricsTexts as texts } from "../../texts/operator.ts";

export function Figure({ name, value, isAlarming = false }: { name: string; value: string; isAlarming?: boolean }) {
  return (
    <div>
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
  );
}
