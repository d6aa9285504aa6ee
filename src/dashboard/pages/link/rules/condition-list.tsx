/** Conditions that must all hold: an input for each, and a menu to add one. */
import { ActionIcon, Button, Menu, Text } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";

import { BROWSER_TIME_ZONE } from "../../../formatting/time-zones.ts";
import { ConditionInput } from "./condition-input.tsx";
import { conditionName } from "./condition-kinds.ts";
import classes from "./rules.module.css";
import { type ConditionForm, newCondition, unusedConditionKeys } from "./rule-form.ts";

interface ConditionListProps {
  conditions: ConditionForm[];
  /** The rule, for screen readers, as "Rule 2". */
  rule: string;
  /** The problem of a condition, by its key. */
  errorOf: (key: string) => string | undefined;
  onChange: (conditions: ConditionForm[]) => void;
}

export function ConditionList({ conditions, rule, errorOf, onChange }: ConditionListProps) {
  return (
    <div>
      {conditions.map((condition, index) => {
        const name = conditionName(condition.key);
        return (
          <div key={condition.key} className={classes.condition}>
            <Text size="sm" fw={500} className={classes.conditionName}>
              {index > 0 && <span className={classes.and}>and </span>}
              {name}
            </Text>
            <div className={classes.conditionInput}>
              <ConditionInput
                condition={condition}
                label={`${rule}: ${name}`}
                error={errorOf(condition.key)}
                onChange={(changed) => onChange(conditions.with(index, changed))}
              />
            </div>
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={4}
              aria-label={`${rule}: remove ${name}`}
              onClick={() => onChange(conditions.toSpliced(index, 1))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </div>
        );
      })}
      <AddCondition rule={rule} conditions={conditions} onChange={onChange} />
    </div>
  );
}

function AddCondition({ rule, conditions, onChange }: Omit<ConditionListProps, "errorOf">) {
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          aria-label={`${rule}: add a condition`}
        >
          Add a condition
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {unusedConditionKeys(conditions).map((key) => (
          <Menu.Item key={key} onClick={() => onChange([...conditions, newCondition(key, BROWSER_TIME_ZONE)])}>
            {conditionName(key)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
