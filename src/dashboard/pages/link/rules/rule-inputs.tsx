/** The inputs of an open rule: conditions, exception, destination, each with its problems. */
import { Alert, Stack, Text, Menu } from "@mantine/core";
import { useState } from "react";

import type { ConditionKey } from "../../../../core/links/conditions.ts";
import { FlatButton, IconButton } from "../../../components/buttons.tsx";
import { DestinationInput } from "../../../components/inputs.tsx";
import { browserTimeZone } from "../../../formatting/dates.ts";
import { icon } from "../../../icons.tsx";
import { ruleTexts, conditionTexts } from "../../../texts/rules.ts";
import { ConditionInput } from "./condition-input.tsx";
import { groupConditions } from "./condition-kinds.ts";
import { newCondition, type RuleForm, type ConditionForm, type RuleProblem, unusedConditionKeys } from "./rule-form.ts";
import classes from "./rules.module.css";

interface RuleInputsProps {
  rule: RuleForm;
  name: string;
  /** Of this rule. */
  problems: readonly RuleProblem[];
  /** The first input gets the focus. */
  autoFocus: boolean;
  onChange: (rule: RuleForm) => void;
}

export function RuleInputs({ rule, name, problems, autoFocus, onChange }: RuleInputsProps) {
  /** An exception added in this window, not an existing one. */
  const [isExceptionNew, setIsExceptionNew] = useState(false);
  const textsOf = (isWanted: (field: string) => boolean) =>
    problems.filter(({ field }) => isWanted(field)).map(({ text }) => text);
  const errorOf = (field: string) => textsOf((one) => one === field).join(" ") || undefined;
  // Those of the rule as a whole, and those whose input is gone, such as that of a removed condition.
  const inputs = [
    "to",
    "if.not",
    ...rule.conditions.map(({ key }) => `if.${key}`),
    ...rule.not.map(({ key }) => `if.not.${key}`),
  ];
  const ruleErrors = textsOf((field) => !inputs.includes(field));
  return (
    <Stack gap="md" mt="md">
      {ruleErrors.length > 0 && <Alert color="red">{ruleErrors.join(" ")}</Alert>}
      <ConditionList
        legend={ruleTexts.ifAll}
        conditions={rule.conditions}
        rule={name}
        errorOf={(key) => errorOf(`if.${key}`)}
        autoFocus={autoFocus}
        onChange={(conditions) => onChange({ ...rule, conditions })}
      />
      {rule.not.length > 0 ? (
        <ConditionList
          legend={ruleTexts.exceptWhen}
          error={errorOf("if.not")}
          conditions={rule.not}
          rule={ruleTexts.exceptionOf(name)}
          errorOf={(key) => errorOf(`if.not.${key}`)}
          autoFocus={isExceptionNew}
          onChange={(not) => onChange({ ...rule, not })}
        />
      ) : (
        <FlatButton
          w="fit-content"
          aria-label={ruleTexts.addException(name)}
          onClick={() => {
            setIsExceptionNew(true);
            onChange({ ...rule, not: [newCondition("country", browserTimeZone())] });
          }}
        >
          {ruleTexts.addExceptionShort}
        </FlatButton>
      )}
      <DestinationInput
        label={ruleTexts.goTo}
        value={rule.to}
        error={errorOf("to")}
        onChange={(event) => onChange({ ...rule, to: event.currentTarget.value })}
      />
    </Stack>
  );
}

interface ConditionListProps {
  legend: string;
  /** A problem of the conditions as a whole. */
  error?: string | undefined;
  conditions: ConditionForm[];
  /** The rule's name for screen readers, e.g. "Rule 2". */
  rule: string;
  /** The problem of a condition, by its key. */
  errorOf: (key: string) => string | undefined;
  /** The first input gets the focus when it appears. */
  autoFocus: boolean;
  onChange: (conditions: ConditionForm[]) => void;
}

/** Conditions that must all hold: an input for each, and a menu to add one. */
function ConditionList({ legend, error, conditions, rule, errorOf, autoFocus, onChange }: ConditionListProps) {
  const [added, setAdded] = useState<ConditionKey | null>(autoFocus ? (conditions[0]?.key ?? null) : null);
  const unused = unusedConditionKeys(conditions);
  const add = (key: ConditionKey) => {
    setAdded(key);
    onChange([...conditions, newCondition(key, browserTimeZone())]);
  };
  return (
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>{legend}</legend>
      {error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
      {conditions.map((condition, index) => {
        const name = conditionTexts.names[condition.key];
        return (
          <div key={condition.key} className={classes.condition}>
            <Text size="sm" fw={500} className={classes.conditionName}>
              {index > 0 && <span className={classes.and}>{conditionTexts.and} </span>}
              {name}
            </Text>
            <div className={classes.conditionInput}>
              <ConditionInput
                condition={condition}
                label={`${rule}: ${name}`}
                error={errorOf(condition.key)}
                autoFocus={condition.key === added}
                onChange={(changed) => onChange(conditions.with(index, changed))}
              />
            </div>
            <IconButton
              mt={4}
              label={conditionTexts.remove(rule, name)}
              sign={icon("x", 16)}
              onClick={() => onChange(conditions.toSpliced(index, 1))}
            />
          </div>
        );
      })}
      {/* The added input gets the focus, not the button. */}
      <Menu position="bottom-start" withinPortal returnFocus={false}>
        <Menu.Target>
          <FlatButton
            leftSection={icon("plus", 14)}
            aria-label={conditionTexts.add(rule)}
            disabled={unused.length === 0}
          >
            {conditionTexts.addShort}
          </FlatButton>
        </Menu.Target>
        <Menu.Dropdown className={classes.menu}>
          {groupConditions(unused).map((group) => (
            <div key={group.name} role="group" aria-label={group.name} className={classes.menuGroup}>
              <Menu.Label>{group.name}</Menu.Label>
              {group.keys.map((key) => (
                <Menu.Item key={key} onClick={() => add(key)}>
                  {conditionTexts.names[key]}
                </Menu.Item>
              ))}
            </div>
          ))}
        </Menu.Dropdown>
      </Menu>
    </fieldset>
  );
}
