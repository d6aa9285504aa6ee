/** The clicks that a rule has decided; nothing where they are not known. */
import { Text } from "@mantine/core";

import { formatCount } from "../../../formatting/numbers.ts";
import { ruleTexts as texts } from "../../../texts/rules.ts";
import classes from "./rules.module.css";

export function RuleClicksText({ clicks }: { clicks: number | null }) {
  if (clicks === null) return null;
  return (
    <Text size="sm" c="dimmed" className={classes.clicks}>
      {texts.clicks(clicks, formatCount(clicks))}
    </Text>
  );
}
