/**
 * The rules of a link in order, each open or closed, and where everyone else goes. Its only state is which rules are
 * open: rules and problems belong to the caller, either a link's page or the dialog that creates a link.
 */
import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { Group, Text, Badge, Collapse, Menu } from "@mantine/core";
import { useSet } from "@mantine/hooks";
import { useState } from "react";

import { canonicalText, DEFAULT_RULE_KEY, type RuleCondition } from "../../../../core/links/routing.ts";
import { BreakableAddress } from "../../../components/breakable-address.tsx";
import { Hint, IconButton, PlainButton } from "../../../components/buttons.tsx";
import { readableUrl } from "../../../formatting/hosts.ts";
import { completeUrl } from "../../../../core/links/typed-url.ts";
import { icon } from "../../../icons.tsx";
import { ruleSentenceTexts } from "../../../texts/rule-sentences.ts";
import { ruleTexts as texts } from "../../../texts/rules.ts";
import {
  clearOrderProblems,
  clearRuleProblems,
  moveItem,
  newRule,
  type RuleForm,
  type RuleProblem,
  toRuleCondition,
} from "./rule-form.ts";
import { RuleInputs } from "./rule-inputs.tsx";
import { ruleSentence } from "./rule-sentence.ts";
import classes from "./rules.module.css";
import { SortableRules, useMoveKeys } from "./sortable-rules.tsx";
import { newRuleId } from "./use-rule-draft.ts";

export interface RuleListProps {
  rules: readonly RuleForm[];
  setRules: (change: (rules: RuleForm[]) => RuleForm[]) => void;
  problems: readonly RuleProblem[];
  setProblems: (change: (problems: readonly RuleProblem[]) => readonly RuleProblem[]) => void;
  /** Destination of visitors who match no rule; empty until it is typed. */
  defaultUrl: string;
  /** Clicks of a rule, by its statistics key; null if unknown. */
  clicksOf?: (ruleKey: string) => number | null;
}

export function RuleList(props: RuleListProps) {
  const { rules, defaultUrl, clicksOf } = props;
  const list = useRuleList(props);
  return (
    <>
      {rules.length > 0 && (
        <SortableRules rules={rules} onMove={list.move}>
          {rules.map((rule, index) => (
            <RuleCard key={rule.id} rule={rule} index={index} list={list} />
          ))}
        </SortableRules>
      )}
      {rules.length > 0 && <EveryoneElse url={defaultUrl} clicks={clicksOf?.(DEFAULT_RULE_KEY)} />}
      <Group justify={rules.length === 0 ? "center" : "flex-start"}>
        <PlainButton leftSection={icon("plus", 16)} onClick={() => list.insert(rules.length, newRule(newRuleId()))}>
          {rules.length === 0 ? texts.addFirst : texts.add}
        </PlainButton>
      </Group>
    </>
  );
}

/** The rules, and what changes them: problems that a change may solve are cleared. */
function useRuleList({ rules, setRules, problems, setProblems, clicksOf }: RuleListProps) {
  const open = useSet<string>();
  const [added, setAdded] = useState<string | null>(null);
  const changeOrder = (change: (all: RuleForm[]) => RuleForm[]) => {
    setProblems(clearOrderProblems);
    setRules(change);
  };
  return {
    count: rules.length,
    problems,
    clicksOf,
    open,
    /** Just added: its first input gets the focus. */
    added,
    change: (changed: RuleForm) => {
      setProblems((all) => clearRuleProblems(all, changed.id));
      setRules((all) => all.map((one) => (one.id === changed.id ? changed : one)));
    },
    move: (from: number, to: number) => changeOrder((all) => moveItem(all, from, to)),
    insert: (index: number, rule: RuleForm) => {
      changeOrder((all) => all.toSpliced(index, 0, rule));
      setAdded(rule.id);
      open.add(rule.id);
    },
    remove: (id: string) => changeOrder((all) => all.filter((rule) => rule.id !== id)),
  };
}

function EveryoneElse({ url, clicks }: { url: string; clicks: number | null | undefined }) {
  return (
    <div className={classes.everyoneElse} role="group" aria-label={ruleSentenceTexts.everyoneElse}>
      <Text size="sm" className={classes.summaryText} title={url}>
        <Text span fw={500} inherit>
          {ruleSentenceTexts.everyoneElse}
        </Text>{" "}
        <Text span c="dimmed" inherit>
          → <BreakableAddress text={readableUrl(url) || texts.noDestination} />
        </Text>
      </Text>
      <RuleClicksText clicks={clicks} />
    </div>
  );
}

interface RuleCardProps {
  rule: RuleForm;
  index: number;
  list: ReturnType<typeof useRuleList>;
}

/** One rule: a summary as a sentence, its clicks, a menu, and its inputs while it is open. */
function RuleCard({ rule, index, list }: RuleCardProps) {
  const { id } = rule;
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id,
  });
  const keys = useMoveKeys(index, list.count, (by) => list.move(index, index + by));
  const problems = list.problems.filter((problem) => problem.rule === id);
  const isWrong = problems.length > 0;
  const isOpen = list.open.has(id) || isWrong;
  const toggle = () => (isOpen ? list.open.delete(id) : list.open.add(id));
  const name = texts.name(index + 1);
  const bodyId = `${id}-body`;
  const condition = toRuleCondition(rule.conditions, rule.not);
  return (
    <li
      ref={setNodeRef}
      className={classes.rule}
      data-dragging={isDragging || keys.isPickedUp || undefined}
      data-wrong={isWrong || undefined}
      style={{ transform: CSS.Translate.toString(transform), transition }}
      aria-label={name}
    >
      <div className={classes.ruleHead}>
        <IconButton
          ref={setActivatorNodeRef}
          className={classes.handle}
          {...attributes}
          {...listeners}
          {...keys.handle}
          label={texts.drag(name)}
          sign={icon("grip-vertical", 18)}
        />
        <Group gap="xs" className={classes.ruleName}>
          <Hint fw={600}>{name}</Hint>
          {isWrong && (
            <Badge color="red" size="sm">
              {texts.needsAttention}
            </Badge>
          )}
        </Group>
        <RuleClicksText clicks={list.clicksOf?.(canonicalText(condition))} />
        <IconButton
          label={isOpen ? texts.close(name) : texts.edit(name)}
          sign={icon("chevron-down", 18, { className: classes.chevron, "data-open": isOpen || undefined })}
          aria-expanded={isOpen}
          aria-controls={bodyId}
          onClick={toggle}
        />
        <RuleMenu rule={rule} index={index} list={list} />
        <button type="button" className={classes.summary} tabIndex={-1} onClick={toggle}>
          <RuleSummary condition={condition} to={completeUrl(rule.to)} />
        </button>
      </div>
      <Collapse expanded={isOpen} id={bodyId}>
        {isOpen && (
          <RuleInputs
            rule={rule}
            name={name}
            problems={problems}
            autoFocus={id === list.added}
            onChange={list.change}
          />
        )}
      </Collapse>
    </li>
  );
}

/** Truncated; the full texts are in the title and in the inputs of the open rule. */
function RuleSummary({ condition, to }: { condition: RuleCondition; to: string }) {
  const sentence = Object.keys(condition).length === 0 ? texts.noCondition : ruleSentence(condition);
  return (
    <span className={classes.summaryText} title={`${sentence} → ${to}`}>
      <Text span size="sm" fw={500}>
        {sentence}
      </Text>
      <Hint span>
        {" → "}
        <BreakableAddress text={to || texts.noDestination} />
      </Hint>
    </span>
  );
}

function RuleMenu({ rule, index, list }: RuleCardProps) {
  const insertCopy = () => list.insert(index + 1, { ...rule, id: newRuleId() });
  const moves = [
    { text: texts.moveUp, sign: icon("arrow-up", 16), to: index - 1, disabled: index === 0 },
    { text: texts.moveDown, sign: icon("arrow-down", 16), to: index + 1, disabled: index === list.count - 1 },
  ];
  return (
    <Menu>
      <Menu.Target>
        <IconButton label={texts.more(texts.name(index + 1))} sign={icon("dots", 18)} />
      </Menu.Target>
      <Menu.Dropdown>
        {moves.map(({ text, sign, to, disabled }) => (
          <Menu.Item key={text} leftSection={sign} disabled={disabled} onClick={() => list.move(index, to)}>
            {text}
          </Menu.Item>
        ))}
        <Menu.Item leftSection={icon("copy-plus", 16)} onClick={insertCopy}>
          {texts.duplicate}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={icon("trash", 16)} color="red" onClick={() => list.remove(rule.id)}>
          {texts.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The clicks that a rule has decided; nothing if unknown. */
function RuleClicksText({ clicks = null }: { clicks?: number | null | undefined }) {
  if (clicks === null) return null;
  return <Hint className={classes.clicks}>{texts.clicks(clicks)}</Hint>;
}
