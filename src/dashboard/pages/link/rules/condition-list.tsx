/** Conditions that must all hold: an input for each, and a menu to add one. */
import { Button, Menu, Text } from "@mantine/core";
import { useState } from "react";

import type { ConditionKey } from "../../../../core/links/conditions.ts";

import { BROWSER_TIME_ZONE } from "../../../formatting/time-zones.ts";
import { IconButton } from "../../../components/buttons.tsx";
import { icon } from "../../../icons.tsx";
import { conditionTexts as texts } from "../../../texts/rules.ts";
import { ConditionInput } from "./condition-input.tsx";
import { conditionName, groupConditions } from "./condition-kinds.ts";
import classes from "./rules.module.css";
import { type ConditionForm, newCondition, unusedConditionKeys } from "./rule-form.ts";

interface ConditionListProps {
  conditions: ConditionForm[];
  /** The rule, for screen readers, as "Rule 2". */
  rule: string;
  /** The problem of a condition, by its key. */
  errorOf: (key: string) => string | undefined;
  /** The first input takes the focus when it appears. */
  autoFocus: boolean;
  onChange: (conditions: ConditionForm[]) => void;
}

export function ConditionList({ conditions, rule, errorOf, autoFocus, onChange }: ConditionListProps) {
  const [added, setAdded] = useState<ConditionKey | null>(autoFocus ? (conditions[0]?.key ?? null) : null);
  const add = (key: ConditionKey) => {
    setAdded(key);
    onChange([...conditions, newCondition(key, BROWSER_TIME_ZONE)]);
  };
  return (
    <div>
      {conditions.map((condition, index) => {
        const name = conditionName(condition.key);
        return (
          <div key={condition.key} className={classes.condition}>
            <Text size="sm" fw={500} className={classes.conditionName}>
              {index > 0 && <span className={classes.and}>{texts.and} </span>}
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
              label={texts.remove(rule, name)}
              sign={icon("x", 16)}
              onClick={() => onChange(conditions.toSpliced(index, 1))}
            />
          </div>
        );
      })}
      <AddCondition rule={rule} unused={unusedConditionKeys(conditions)} add={add} />
    </div>
  );
}

interface AddConditionProps {
  rule: string;
  unused: readonly ConditionKey[];
  add: (key: ConditionKey) => void;
}

function AddCondition({ rule, unused, add }: AddConditionProps) {
  return (
    // The input that is added takes the focus, not the button.
    <Menu position="bottom-start" withinPortal returnFocus={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={icon("plus", 14)}
          aria-label={texts.add(rule)}
          disabled={unused.length === 0}
        >
          {texts.addShort}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {groupConditions(unused).map((group) => (
          <div key={group.name} role="group" aria-label={group.name} className={classes.menuGroup}>
            <Menu.Label>{group.name}</Menu.Label>
            {group.keys.map((key) => (
              <Menu.Item key={key} onClick={() => add(key)}>
                {conditionName(key)}
              </Menu.Item>
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
