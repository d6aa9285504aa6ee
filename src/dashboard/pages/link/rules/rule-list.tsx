/**
 * The rules of a link in order, each open or closed, and where everyone else goes. Holds which rules are open and
 * nothing else: rules and problems are its caller's, which may be a link's page or the dialog that creates a link.
 */
import { Group, Text } from "@mantine/core";
import { useState } from "react";

import { icon } from "../../../icons.tsx";
import { PlainButton } from "../../../components/buttons.tsx";
import { ruleSentenceTexts } from "../../../texts/rule-sentences.ts";
import { ruleTexts as texts } from "../../../texts/rules.ts";
import { RuleCard, RuleClicksText } from "./rule-card.tsx";
import { moveItem, newRule, type RuleForm } from "./rule-form.ts";
import { clearOrderProblems, clearRuleProblems, type RuleProblems } from "./rule-problems.ts";
import classes from "./rules.module.css";
import { SortableRules } from "./sortable-rules.tsx";
import { newRuleId } from "./use-rule-draft.ts";
import { readableUrl } from "../../../formatting/hosts.ts";

export interface RuleListProps {
  rules: readonly RuleForm[];
  setRules: (change: (rules: RuleForm[]) => RuleForm[]) => void;
  problems: RuleProblems;
  setProblems: (change: (problems: RuleProblems) => RuleProblems) => void;
  /** Where visitors go who match no rule; empty while it is not typed yet. */
  defaultUrl: string;
  /** Clicks of a rule, by its statistics key; null where they are not known. */
  clicksOf?: (ruleKey: string) => number | null;
}

const noClicks = () => null;

export function RuleList({ rules, setRules, problems, setProblems, defaultUrl, clicksOf = noClicks }: RuleListProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [added, setAdded] = useState<string | null>(null);
  const changeOrder = (change: (all: RuleForm[]) => RuleForm[]) => {
    setProblems(clearOrderProblems);
    setRules(change);
  };
  const setRuleOpen = (id: string, isOpen: boolean) =>
    setOpen((all) => (isOpen ? new Set([...all, id]) : new Set([...all].filter((one) => one !== id))));
  const insert = (index: number, rule: RuleForm) => {
    changeOrder((all) => all.toSpliced(index, 0, rule));
    setAdded(rule.id);
    setRuleOpen(rule.id, true);
  };

  return (
    <>
      {rules.length > 0 && (
        <SortableRules rules={rules} onMove={(from, to) => changeOrder((all) => moveItem(all, from, to))}>
          {rules.map((rule, index) => (
            <RuleCard
              key={rule.id}
              rule={rule}
              index={index}
              count={rules.length}
              clicksOf={clicksOf}
              problems={problems.byRule.get(rule.id)}
              isOpen={open.has(rule.id) || problems.byRule.has(rule.id)}
              isNew={rule.id === added}
              setOpen={(isOpen) => setRuleOpen(rule.id, isOpen)}
              actions={{
                change: (changed) => {
                  setProblems((all) => clearRuleProblems(all, rule.id));
                  setRules((all) => all.map((one) => (one.id === rule.id ? changed : one)));
                },
                move: (by) => changeOrder((all) => moveItem(all, index, index + by)),
                duplicate: () => insert(index + 1, { ...rule, id: newRuleId() }),
                remove: () => changeOrder((all) => all.filter(({ id }) => id !== rule.id)),
              }}
            />
          ))}
        </SortableRules>
      )}
      {rules.length > 0 && <EveryoneElse url={defaultUrl} clicks={clicksOf("default")} />}
      <Group justify={rules.length === 0 ? "center" : "flex-start"}>
        <PlainButton leftSection={icon("plus", 16)} onClick={() => insert(rules.length, newRule(newRuleId()))}>
          {rules.length === 0 ? texts.addFirst : texts.add}
        </PlainButton>
      </Group>
    </>
  );
}

function EveryoneElse({ url, clicks }: { url: string; clicks: number | null }) {
  return (
    <div className={classes.everyoneElse} role="group" aria-label={ruleSentenceTexts.everyoneElse}>
      <Text size="sm" className={classes.summaryText} title={url}>
        <Text span fw={500} inherit>
          {ruleSentenceTexts.everyoneElse}
        </Text>{" "}
        <Text span c="dimmed" inherit>
          → {readableUrl(url) || texts.noDestination}
        </Text>
      </Text>
      <RuleClicksText clicks={clicks} />
    </div>
  );
}
