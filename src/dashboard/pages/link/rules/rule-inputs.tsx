/** The inputs of an open rule: conditions, exception, destination, each with its problems. */
import { Alert, Button, Stack, Text } from "@mantine/core";
import { useState } from "react";

import { DestinationInput } from "../../../components/destination-input.tsx";
import { BROWSER_TIME_ZONE } from "../../../formatting/time-zones.ts";
import { ruleTexts as texts } from "../../../texts/rules.ts";
import { ConditionList } from "./condition-list.tsx";
import { newCondition, type RuleForm } from "./rule-form.ts";
import classes from "./rules.module.css";

interface RuleInputsProps {
  rule: RuleForm;
  name: string;
  problems: ReadonlyMap<string, string[]> | undefined;
  /** The first input takes the focus. */
  autoFocus: boolean;
  onChange: (rule: RuleForm) => void;
}

export function RuleInputs({ rule, name, problems, autoFocus, onChange }: RuleInputsProps) {
  /** An exception that was added in this window, not one that was there before. */
  const [isExceptionNew, setIsExceptionNew] = useState(false);
  const errorOf = (field: string) => problems?.get(field)?.join(" ");
  const ruleErrors = [
    ...(problems?.get("") ?? []),
    ...(problems?.get("if") ?? []),
    ...hiddenFieldProblems(rule, problems),
  ];
  return (
    <Stack gap="md" mt="md">
      {ruleErrors.length > 0 && <Alert color="red">{ruleErrors.join(" ")}</Alert>}
      <fieldset className={classes.fieldset}>
        <legend className={classes.legend}>{texts.ifAll}</legend>
        <ConditionList
          conditions={rule.conditions}
          rule={name}
          errorOf={(key) => errorOf(`if.${key}`)}
          autoFocus={autoFocus}
          onChange={(conditions) => onChange({ ...rule, conditions })}
        />
      </fieldset>
      {rule.not.length > 0 ? (
        <fieldset className={classes.fieldset}>
          <legend className={classes.legend}>{texts.exceptWhen}</legend>
          {errorOf("if.not") && (
            <Text size="sm" c="var(--mantine-color-error)">
              {errorOf("if.not")}
            </Text>
          )}
          <ConditionList
            conditions={rule.not}
            rule={texts.exceptionOf(name)}
            errorOf={(key) => errorOf(`if.not.${key}`)}
            autoFocus={isExceptionNew}
            onChange={(not) => onChange({ ...rule, not })}
          />
        </fieldset>
      ) : (
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={texts.addException(name)}
            onClick={() => {
              setIsExceptionNew(true);
              onChange({ ...rule, not: [newCondition("country", BROWSER_TIME_ZONE)] });
            }}
          >
            {texts.addExceptionShort}
          </Button>
        </div>
      )}
      <DestinationInput
        label={texts.goTo}
        value={rule.to}
        error={errorOf("to")}
        onChange={(event) => onChange({ ...rule, to: event.currentTarget.value })}
      />
    </Stack>
  );
}

/** Messages of problems whose input is no longer there, such as that of a removed condition. */
function hiddenFieldProblems(rule: RuleForm, problems: ReadonlyMap<string, string[]> | undefined): string[] {
  const shown = new Set(["", "if", "if.not", "to"]);
  for (const { key } of rule.conditions) shown.add(`if.${key}`);
  for (const { key } of rule.not) shown.add(`if.not.${key}`);
  return [...(problems ?? [])].flatMap(([field, messages]) => (shown.has(field) ? [] : messages));
}
