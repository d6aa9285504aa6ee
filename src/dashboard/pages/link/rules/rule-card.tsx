/** One rule: its place in the order, what it says in one line, and its inputs when it is open. */
import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { ActionIcon, Alert, Badge, Button, Code, Collapse, Group, Menu, Stack, Text, TextInput } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconCopyPlus,
  IconDots,
  IconGripVertical,
  IconTrash,
} from "@tabler/icons-react";

import { canonicalText } from "../../../../core/routing.ts";
import { ConditionList } from "./condition-list.tsx";
import { conditionOf, newCondition, type RuleForm } from "./rule-form.ts";
import classes from "./rules.module.css";

export interface RuleActions {
  change: (rule: RuleForm) => void;
  move: (by: -1 | 1) => void;
  duplicate: () => void;
  remove: () => void;
}

interface RuleCardProps {
  rule: RuleForm;
  index: number;
  count: number;
  problems: ReadonlyMap<string, string[]> | undefined;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  actions: RuleActions;
}

export function RuleCard({ rule, index, count, problems, isOpen, setOpen, actions }: RuleCardProps) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: rule.id,
  });
  const name = `Rule ${index + 1}`;
  const bodyId = `${rule.id}-body`;
  return (
    <li
      ref={setNodeRef}
      className={classes.rule}
      data-dragging={isDragging || undefined}
      data-wrong={problems ? true : undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      aria-label={name}
    >
      <Group wrap="nowrap" gap="xs" align="flex-start">
        <ActionIcon
          ref={setActivatorNodeRef}
          variant="subtle"
          color="gray"
          className={classes.handle}
          {...attributes}
          {...listeners}
          aria-label={`${name}: drag to reorder`}
        >
          <IconGripVertical size={18} aria-hidden />
        </ActionIcon>
        <button
          type="button"
          className={classes.summary}
          aria-expanded={isOpen}
          aria-controls={bodyId}
          onClick={() => setOpen(!isOpen)}
        >
          <Group gap="xs" wrap="nowrap">
            <Text fw={600} span>
              {name}
            </Text>
            {problems && (
              <Badge color="red" variant="light" size="sm">
                needs attention
              </Badge>
            )}
          </Group>
          <Summary rule={rule} />
        </button>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={isOpen ? `${name}: close` : `${name}: edit`}
          onClick={() => setOpen(!isOpen)}
        >
          <IconChevronDown size={18} aria-hidden className={classes.chevron} data-open={isOpen || undefined} />
        </ActionIcon>
        <RuleMenu name={name} index={index} count={count} actions={actions} />
      </Group>
      <Collapse expanded={isOpen} id={bodyId}>
        {isOpen && <RuleInputs rule={rule} name={name} problems={problems} change={actions.change} />}
      </Collapse>
    </li>
  );
}

function Summary({ rule }: { rule: RuleForm }) {
  return (
    <span className={classes.summaryText}>
      <Code className={classes.code}>
        {canonicalText(conditionOf(rule.conditions, rule.not)) || "no condition yet"}
      </Code>
      <Text span size="sm" c="dimmed">
        {" → "}
        {rule.to.trim() || "no destination yet"}
      </Text>
    </span>
  );
}

interface RuleMenuProps {
  name: string;
  index: number;
  count: number;
  actions: RuleActions;
}

function RuleMenu({ name, index, count, actions }: RuleMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`${name}: more`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconArrowUp size={16} aria-hidden />}
          disabled={index === 0}
          onClick={() => actions.move(-1)}
        >
          Move up
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowDown size={16} aria-hidden />}
          disabled={index === count - 1}
          onClick={() => actions.move(1)}
        >
          Move down
        </Menu.Item>
        <Menu.Item leftSection={<IconCopyPlus size={16} aria-hidden />} onClick={actions.duplicate}>
          Duplicate
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} color="red" onClick={actions.remove}>
          Remove
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface RuleInputsProps {
  rule: RuleForm;
  name: string;
  problems: ReadonlyMap<string, string[]> | undefined;
  change: (rule: RuleForm) => void;
}

function RuleInputs({ rule, name, problems, change }: RuleInputsProps) {
  const errorOf = (field: string) => problems?.get(field)?.join(" ");
  const whole = [...(problems?.get("") ?? []), ...(problems?.get("if") ?? []), ...unshown(rule, problems)];
  return (
    <Stack gap="md" mt="md">
      {whole.length > 0 && (
        <Alert color="red" variant="light" role="alert">
          {whole.join(" ")}
        </Alert>
      )}
      <fieldset className={classes.fieldset}>
        <legend className={classes.legend}>If all of these hold</legend>
        <ConditionList
          conditions={rule.conditions}
          rule={name}
          errorOf={(key) => errorOf(`if.${key}`)}
          onChange={(conditions) => change({ ...rule, conditions })}
        />
      </fieldset>
      {rule.not.length > 0 ? (
        <fieldset className={classes.fieldset}>
          <legend className={classes.legend}>And not all of these</legend>
          {errorOf("if.not") && (
            <Text size="sm" c="var(--mantine-color-error)">
              {errorOf("if.not")}
            </Text>
          )}
          <ConditionList
            conditions={rule.not}
            rule={`${name}, not`}
            errorOf={(key) => errorOf(`if.not.${key}`)}
            onChange={(not) => change({ ...rule, not })}
          />
        </fieldset>
      ) : (
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={`${name}: add an exception`}
            onClick={() => change({ ...rule, not: [newCondition("country", "UTC")] })}
          >
            Add an exception
          </Button>
        </div>
      )}
      <TextInput
        label="Then go to"
        type="url"
        inputMode="url"
        placeholder="https://example.com/"
        value={rule.to}
        error={errorOf("to")}
        onChange={(event) => change({ ...rule, to: event.currentTarget.value })}
      />
    </Stack>
  );
}

/** Problems of inputs that are no longer on show are not kept to ourselves. */
function unshown(rule: RuleForm, problems: ReadonlyMap<string, string[]> | undefined): string[] {
  const shown = new Set(["", "if", "if.not", "to"]);
  for (const { key } of rule.conditions) shown.add(`if.${key}`);
  for (const { key } of rule.not) shown.add(`if.not.${key}`);
  return [...(problems ?? [])].flatMap(([field, messages]) => (shown.has(field) ? [] : messages));
}
