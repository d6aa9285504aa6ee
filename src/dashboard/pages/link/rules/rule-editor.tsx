/**
 * The rules of a link, in order: the first that matches wins. They are edited as a draft and saved as a whole, under
 * the revision that the draft began with. Loaded by itself, with what it takes to drag.
 */
import { Button, Grid, Group, Stack, Text } from "@mantine/core";
import { IconArrowsSplit2, IconPlus } from "@tabler/icons-react";
import { useState } from "react";

import { EmptyState } from "../../../components/states.tsx";
import type { LinkAt } from "../use-link.ts";
import { moved } from "./moved.ts";
import { RuleCard } from "./rule-card.tsx";
import { newId, useRuleDraft } from "./rule-draft.ts";
import { newRule, type RuleForm } from "./rule-form.ts";
import { afterChange, afterMove } from "./rule-problems.ts";
import classes from "./rules.module.css";
import { SaveProblem } from "./save-problem.tsx";
import { SortableRules } from "./sortable-rules.tsx";
import { TryIt } from "./try-it.tsx";
import { useLeaveGuard } from "./use-leave-guard.ts";
import { useSaveRules } from "./use-save-rules.ts";

export default function RuleEditor({ current }: { current: LinkAt }) {
  const draft = useRuleDraft(current);
  const saving = useSaveRules(draft, current);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  useLeaveGuard(draft.isDirty);
  const { rules, setRules } = draft;
  const arrange = (change: (all: RuleForm[]) => RuleForm[]) => {
    saving.setProblems(afterMove);
    setRules(change);
  };

  const setOne = (id: string, isOpen: boolean) =>
    setOpen((all) => (isOpen ? new Set([...all, id]) : new Set([...all].filter((one) => one !== id))));
  const add = () => {
    const rule = newRule(newId());
    setRules((all) => [...all, rule]);
    setOne(rule.id, true);
  };
  const duplicate = (rule: RuleForm, index: number) => {
    const copy = { ...rule, id: newId() };
    arrange((all) => all.toSpliced(index + 1, 0, copy));
    setOne(copy.id, true);
  };

  return (
    <Grid>
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            The first rule that matches decides. When none does, visitors go to {current.link.url}.
          </Text>
          <SaveProblem saving={saving} count={rules.length} />
          {rules.length === 0 ? (
            <EmptyState
              icon={<IconArrowsSplit2 aria-hidden />}
              title="No rules"
              action={<AddButton add={add} label="Add the first rule" />}
            >
              Everyone goes to the same place. Rules send visitors elsewhere by country, device, language, time and
              more.
            </EmptyState>
          ) : (
            <>
              <SortableRules rules={rules} reorder={(from, to) => arrange((all) => moved(all, from, to))}>
                {rules.map((rule, index) => (
                  <RuleCard
                    key={rule.id}
                    rule={rule}
                    index={index}
                    count={rules.length}
                    problems={saving.problems.byRule.get(rule.id)}
                    isOpen={open.has(rule.id) || saving.problems.byRule.has(rule.id)}
                    setOpen={(isOpen) => setOne(rule.id, isOpen)}
                    actions={{
                      change: (changed) => {
                        saving.setProblems((problems) => afterChange(problems, rule.id));
                        setRules((all) => all.map((one) => (one.id === rule.id ? changed : one)));
                      },
                      move: (by) => arrange((all) => moved(all, index, index + by)),
                      duplicate: () => duplicate(rule, index),
                      remove: () => arrange((all) => all.filter(({ id }) => id !== rule.id)),
                    }}
                  />
                ))}
              </SortableRules>
              <div>
                <AddButton add={add} label="Add a rule" />
              </div>
            </>
          )}
          {draft.isDirty && (
            <Group className={classes.bar} justify="space-between">
              <Text size="sm" role="status">
                Unsaved changes
              </Text>
              <Group gap="xs">
                <Button
                  variant="default"
                  onClick={() => {
                    saving.forget();
                    draft.reset(current);
                  }}
                >
                  Discard
                </Button>
                <Button onClick={saving.save} loading={saving.isPending}>
                  Save rules
                </Button>
              </Group>
            </Group>
          )}
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <TryIt link={current.link} hasUnsaved={draft.isDirty} />
      </Grid.Col>
    </Grid>
  );
}

function AddButton({ add, label }: { add: () => void; label: string }) {
  return (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
      {label}
    </Button>
  );
}
