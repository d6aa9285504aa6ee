/** One rule: a summary in one line, a menu, and its inputs while it is open. */
import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { ActionIcon, Badge, Code, Collapse, Group, Menu, Text } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconCopyPlus,
  IconDots,
  IconGripVertical,
  IconTrash,
} from "@tabler/icons-react";

import { canonicalText } from "../../../../core/links/routing.ts";
import { toRuleCondition, type RuleForm } from "./rule-form.ts";
import { RuleInputs } from "./rule-inputs.tsx";
import classes from "./rules.module.css";

interface RuleActions {
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
          <RuleSummary rule={rule} />
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
        {isOpen && <RuleInputs rule={rule} name={name} problems={problems} onChange={actions.change} />}
      </Collapse>
    </li>
  );
}

function RuleSummary({ rule }: { rule: RuleForm }) {
  return (
    <span className={classes.summaryText}>
      <Code className={classes.code}>
        {canonicalText(toRuleCondition(rule.conditions, rule.not)) || "no condition yet"}
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
